package handlers

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/receipt"
)

// MetadataService is hush.v1.MetadataService.
type MetadataService struct {
	receipts *receipt.Receipts
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
	page, err := s.receipts.ListMetadata(ctx, chain.CallerFrom(ctx), receipt.ListQuery{
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

// metadataMessages is a message with the messages that may be in it: one piece of memory
// instead of ten.
type metadataMessages struct {
	hushv1.Metadata

	created, updated, expires, secretExpires, viewed, ended timestamppb.Timestamp
	ttl, left, secretLeft                                   durationpb.Duration
}

func metadataOf(m receipt.Metadata) *hushv1.Metadata {
	r := new(metadataMessages)
	res := &r.Metadata
	res.MetadataKey = m.Key.Expose()
	res.SecretShortkey = m.Hint
	res.State = hushv1.State(m.State)
	res.HasPassphrase = m.HasPassphrase
	res.Encryption = hushv1.Encryption(m.Encryption)
	res.LockedForGood = m.LockedForGood
	res.CreateTime = stampIn(&r.created, m.Created)
	res.UpdateTime = stampIn(&r.updated, m.Updated)
	res.ExpireTime = stampIn(&r.expires, m.Forgotten)
	res.SecretExpireTime = stampIn(&r.secretExpires, m.Expires)
	res.ViewTime = stampIn(&r.viewed, m.Viewed)
	res.Ttl = durationIn(&r.ttl, m.TTL)
	res.TtlLeft = durationIn(&r.left, m.TTLLeft)
	res.Recipients = m.Recipients
	res.ShareDomain = m.ShareDomain
	res.Memo = string(m.Memo)
	res.Custid = m.Account
	res.Events = each(m.Events, eventOf)
	res.Deliveries = each(m.Deliveries, deliveryOf)
	if m.Group != (receipt.Group{}) {
		res.Group = m.Group[:]
	}
	if m.File != nil {
		res.File = fileOf(*m.File)
	}
	if m.Secret != nil {
		res.SecretKey = m.Secret.Expose()
	}
	switch m.State {
	case receipt.StateNew, receipt.StateViewed:
		res.SecretTtlLeft = durationIn(&r.secretLeft, m.SecretTTLLeft)
	case receipt.StateReceived:
		res.ReceiveTime = stampIn(&r.ended, m.Ended)
	case receipt.StateBurned:
		res.BurnTime = stampIn(&r.ended, m.Ended)
	case receipt.StateNone, receipt.StateExpired:
	}
	return res
}

// keylessOf returns a receipt for callers who may not see its keys.
func keylessOf(m receipt.Metadata) *hushv1.Metadata {
	res := metadataOf(m)
	res.MetadataKey, res.SecretKey = "", ""
	return res
}

func readState(state hushv1.State) receipt.State { return receipt.State(state) }

func eventOf(e receipt.Event) *hushv1.Event {
	r := new(struct {
		hushv1.Event

		time timestamppb.Timestamp
	})
	res := &r.Event
	res.Kind = hushv1.Event_Kind(e.Kind)
	res.Time = stampIn(&r.time, e.Time)
	res.Network = e.Network
	res.Count = int32(e.Count)
	return res
}

func deliveryOf(d outbox.Delivery) *hushv1.Delivery {
	return &hushv1.Delivery{
		Recipient: d.Recipient, State: hushv1.Delivery_State(d.State),
		UpdateTime: stamp(d.Updated), Attempts: int32(d.Attempts),
	}
}
