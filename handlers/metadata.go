package handlers

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

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

// receipt is a message with the messages that may be in it: one piece of memory
// instead of ten.
type receipt struct {
	hushv1.Metadata

	created, updated, expires, secretExpires, viewed, ended timestamppb.Timestamp
	ttl, left, secretLeft                                   durationpb.Duration
}

func metadataOf(m secret.Metadata) *hushv1.Metadata {
	r := new(receipt)
	res := &r.Metadata
	res.MetadataKey, res.SecretShortkey, res.State = m.Key.Expose(), m.Hint, hushv1.State(m.State)
	res.HasPassphrase, res.Encryption, res.LockedForGood = m.HasPassphrase, hushv1.Encryption(m.Encryption), m.LockedForGood
	res.CreateTime, res.UpdateTime, res.ExpireTime = stampIn(&r.created, m.Created), stampIn(&r.updated, m.Updated), stampIn(&r.expires, m.Forgotten)
	res.SecretExpireTime, res.ViewTime = stampIn(&r.secretExpires, m.Expires), stampIn(&r.viewed, m.Viewed)
	res.Ttl, res.TtlLeft = durationIn(&r.ttl, m.TTL), durationIn(&r.left, m.TTLLeft)
	res.Recipients, res.ShareDomain, res.Memo, res.Custid = m.Recipients, m.ShareDomain, string(m.Memo), m.Account
	res.Events, res.Deliveries = each(m.Events, eventOf), each(m.Deliveries, deliveryOf)
	if m.Group != (secret.Group{}) {
		res.Group = m.Group[:]
	}
	if m.Secret != nil {
		res.SecretKey = m.Secret.Expose()
	}
	switch m.State {
	case secret.StateNew, secret.StateViewed:
		res.SecretTtlLeft = durationIn(&r.secretLeft, m.SecretTTLLeft)
	case secret.StateReceived:
		res.ReceiveTime = stampIn(&r.ended, m.Ended)
	case secret.StateBurned:
		res.BurnTime = stampIn(&r.ended, m.Ended)
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
	r := new(struct {
		hushv1.Event

		time timestamppb.Timestamp
	})
	res := &r.Event
	res.Kind, res.Time, res.Network, res.Count = hushv1.Event_Kind(e.Kind), stampIn(&r.time, e.Time), e.Network, int32(e.Count)
	return res
}

func deliveryOf(d outbox.Delivery) *hushv1.Delivery {
	return &hushv1.Delivery{
		Recipient: d.Recipient, State: hushv1.Delivery_State(d.State),
		UpdateTime: stamp(d.Updated), Attempts: int32(d.Attempts),
	}
}
