package handlers

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/secret"
)

// MetadataService is hush.v1.MetadataService.
type MetadataService struct {
	receipts *secret.Receipts
}

// GetMetadata returns a receipt.
func (s *MetadataService) GetMetadata(ctx context.Context, req *hushv1.GetMetadataRequest) (*hushv1.GetMetadataResponse, error) {
	metadata, err := s.receipts.GetMetadata(ctx, chain.CallerFrom(ctx), req.GetMetadataKey())
	if err != nil {
		return nil, err
	}
	return &hushv1.GetMetadataResponse{Metadata: metadataOf(metadata)}, nil
}

// BatchGetMetadata returns several receipts.
func (s *MetadataService) BatchGetMetadata(ctx context.Context, req *hushv1.BatchGetMetadataRequest) (*hushv1.BatchGetMetadataResponse, error) {
	found, err := s.receipts.BatchGetMetadata(ctx, chain.CallerFrom(ctx), req.GetMetadataKeys())
	if err != nil {
		return nil, err
	}
	return &hushv1.BatchGetMetadataResponse{Metadata: each(found, metadataOf)}, nil
}

// ListMetadata lists the receipts of the caller's account.
func (s *MetadataService) ListMetadata(ctx context.Context, req *hushv1.ListMetadataRequest) (*hushv1.ListMetadataResponse, error) {
	page, err := s.receipts.ListMetadata(ctx, chain.CallerFrom(ctx), secret.ListQuery{
		Size: int(req.GetPageSize()), Token: req.GetPageToken(), States: each(req.GetStates(), readState),
	})
	if err != nil {
		return nil, err
	}
	return &hushv1.ListMetadataResponse{
		Metadata: each(page.Metadata, metadataOf), NextPageToken: page.Next, SealedCount: int32(page.Sealed),
	}, nil
}

// UpdateMetadata sets the sender's note.
func (s *MetadataService) UpdateMetadata(ctx context.Context, req *hushv1.UpdateMetadataRequest) (*hushv1.UpdateMetadataResponse, error) {
	metadata, err := s.receipts.UpdateMemo(ctx, chain.CallerFrom(ctx), req.GetMetadataKey(), caller.Text(req.GetMemo()))
	if err != nil {
		return nil, err
	}
	return &hushv1.UpdateMetadataResponse{Metadata: metadataOf(metadata)}, nil
}

func metadataOf(m secret.Metadata) *hushv1.Metadata {
	res := &hushv1.Metadata{
		MetadataKey: m.Key.Expose(), SecretShortkey: m.Hint, State: hushv1.State(m.State), HasPassphrase: m.HasPassphrase, Encryption: hushv1.Encryption(m.Encryption), LockedForGood: m.LockedForGood,
		CreateTime: stamp(m.Created), UpdateTime: stamp(m.Updated), ExpireTime: stamp(m.Forgotten),
		SecretExpireTime: stamp(m.Expires), ViewTime: stamp(m.Viewed),
		Ttl: durationpb.New(m.TTL), TtlLeft: durationpb.New(m.TTLLeft),
		Recipients: m.Recipients, ShareDomain: m.ShareDomain, Memo: string(m.Memo), Custid: m.Account,
		Events: each(m.Events, eventOf), Deliveries: each(m.Deliveries, deliveryOf),
	}
	if m.Group != (secret.Group{}) {
		res.Group = m.Group[:]
	}
	if m.Secret != nil {
		res.SecretKey = m.Secret.Expose()
	}
	switch m.State {
	case secret.StateNew, secret.StateViewed:
		res.SecretTtlLeft = durationpb.New(m.SecretTTLLeft)
	case secret.StateReceived:
		res.ReceiveTime = stamp(m.Ended)
	case secret.StateBurned:
		res.BurnTime = stamp(m.Ended)
	case secret.StateNone, secret.StateExpired:
	}
	return res
}

// keylessOf returns a receipt for callers who may not see its keys.
func keylessOf(m secret.Metadata) *hushv1.Metadata {
	res := metadataOf(m)
	res.MetadataKey, res.SecretKey = "", ""
	return res
}

func readState(state hushv1.State) secret.State { return secret.State(state) }

func eventOf(e secret.Event) *hushv1.Event {
	return &hushv1.Event{
		Kind: hushv1.Event_Kind(e.Kind), Time: stamp(e.Time), Network: e.Network, Count: int32(e.Count),
	}
}

func deliveryOf(d outbox.Delivery) *hushv1.Delivery {
	return &hushv1.Delivery{
		Recipient: d.Recipient, State: hushv1.Delivery_State(d.State),
		UpdateTime: stamp(d.Updated), Attempts: int32(d.Attempts),
	}
}
