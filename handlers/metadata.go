package handlers

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

// MetadataService is hush.v1.MetadataService on a vault.
type MetadataService struct{ vault *vault.Vault }

// GetMetadata shows a receipt.
func (s *MetadataService) GetMetadata(ctx context.Context, req *hushv1.GetMetadataRequest) (*hushv1.GetMetadataResponse, error) {
	metadata, err := s.vault.GetMetadata(ctx, callerFrom(ctx), req.GetMetadataKey())
	if err != nil {
		return nil, err
	}
	return &hushv1.GetMetadataResponse{Metadata: metadataOf(metadata)}, nil
}

// ListMetadata lists the receipts of the caller's account.
func (s *MetadataService) ListMetadata(ctx context.Context, _ *hushv1.ListMetadataRequest) (*hushv1.ListMetadataResponse, error) {
	list, err := s.vault.ListMetadata(ctx, callerFrom(ctx))
	if err != nil {
		return nil, err
	}
	res := &hushv1.ListMetadataResponse{}
	for _, metadata := range list {
		res.Metadata = append(res.Metadata, metadataOf(metadata))
	}
	return res, nil
}

// UpdateMetadata sets the sender's note.
func (s *MetadataService) UpdateMetadata(ctx context.Context, req *hushv1.UpdateMetadataRequest) (*hushv1.UpdateMetadataResponse, error) {
	metadata, err := s.vault.UpdateMemo(ctx, callerFrom(ctx), req.GetMetadataKey(), vault.Text(req.GetMemo()))
	if err != nil {
		return nil, err
	}
	return &hushv1.UpdateMetadataResponse{Metadata: metadataOf(metadata)}, nil
}

func metadataOf(m vault.Metadata) *hushv1.Metadata {
	res := &hushv1.Metadata{
		MetadataKey: m.Key.Expose(), SecretShortkey: m.Hint, State: hushv1.State(m.State), HasPassphrase: m.HasPassphrase,
		CreateTime: stamp(m.Created), UpdateTime: stamp(m.Updated), ExpireTime: stamp(m.Forgotten),
		SecretExpireTime: stamp(m.Expires), ViewTime: stamp(m.Viewed),
		Ttl: durationpb.New(m.TTL), TtlLeft: durationpb.New(m.TTLLeft),
		Recipients: m.Recipients, ShareDomain: m.ShareDomain, Memo: string(m.Memo), Custid: m.Account,
	}
	if m.Secret != nil {
		res.SecretKey = m.Secret.Expose()
	}
	switch m.State {
	case vault.StateNew, vault.StateViewed:
		res.SecretTtlLeft = durationpb.New(m.SecretTTLLeft)
	case vault.StateReceived:
		res.ReceiveTime = stamp(m.Ended)
	case vault.StateBurned:
		res.BurnTime = stamp(m.Ended)
	case vault.StateNone, vault.StateExpired:
	}
	return res
}
