package hush

import (
	"context"
	"iter"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
)

const (
	// pageSize is how many receipts are read at a time.
	pageSize = 100
	// confirmable is how long after a reveal a device can confirm at most, with some
	// time to spare.
	confirmable = client.ClaimTime + 10*time.Second
)

// Receipt implements client.Backend.
func (h *Client) Receipt(ctx context.Context, key client.Text) (client.Receipt, error) {
	answer, err := ask(ctx, h, h.metadata.GetMetadata, &hushv1.GetMetadataRequest{MetadataKey: key.Expose()})
	if err != nil {
		return client.Receipt{}, attempt.OfReceipt(err)
	}
	return readReceipt(answer.GetMetadata())
}

// readReceipt returns the receipt in an answer.
func readReceipt(m *hushv1.Metadata) (client.Receipt, error) {
	if stateOf(m.GetState()) == client.StateUnknown {
		return client.Receipt{}, attempt.Unexpected(product)
	}
	return receiptOf(m), nil
}

// Burn repeats after a lost answer. If the secret is gone then, the receipt says
// whether it was this call that burned it.
func (h *Client) Burn(ctx context.Context, key, _ client.Text) (client.Receipt, error) {
	request, lost := &hushv1.BurnSecretRequest{MetadataKey: key.Expose()}, false
	answer, fail := attempt.Do(ctx, h.repeats, func(int) (*hushv1.BurnSecretResponse, *failure) {
		answer, fail := call(ctx, h, h.secrets.BurnSecret, request, answerTime)
		lost = lost || fail != nil && fail.Outcome == attempt.OutcomeUnknown
		return answer, fail
	})
	if fail == nil {
		return readReceipt(answer.GetMetadata())
	}
	if lost && fail.Err.Kind == client.KindGone {
		if found, err := h.Receipt(ctx, key); err == nil && found.State == client.StateBurned {
			return found, nil
		}
	}
	return client.Receipt{}, fail.Err
}

// Receipts implements client.Backend.
func (h *Client) Receipts(ctx context.Context) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		if h.token.IsEmpty() {
			yield(client.Receipt{}, attempt.NoToken())
			return
		}
		request := &hushv1.ListMetadataRequest{PageSize: pageSize}
		for {
			page, err := ask(ctx, h, h.metadata.ListMetadata, request)
			if err != nil {
				yield(client.Receipt{}, err)
				return
			}
			for _, metadata := range page.GetMetadata() {
				if !yield(receiptOf(metadata), nil) {
					return
				}
			}
			if sealed := int(page.GetSealedCount()); sealed > 0 && !yield(client.Receipt{Sealed: sealed}, nil) {
				return
			}
			next := page.GetNextPageToken()
			if next == "" || next == request.GetPageToken() {
				return
			}
			request.PageToken = next
		}
	}
}

func receiptOf(m *hushv1.Metadata) client.Receipt {
	key := m.GetMetadataKey()
	r := client.Receipt{
		Key: client.Hide(key), ShortID: client.ShortID(key),
		State: stateOf(m.GetState()), Delivery: deliveryOf(m),
		HasPassphrase: m.GetHasPassphrase(), LockedForGood: m.GetLockedForGood(), Encryption: encryptionOf(m.GetEncryption()),
		Label: m.GetMemo(), Domain: client.Plain(m.GetShareDomain()), TTL: m.GetTtl().AsDuration(),
		Created: timeOf(m.GetCreateTime()), Expires: timeOf(m.GetSecretExpireTime()),
		File: fileOf(m.GetFile()),
	}
	switch r.State {
	case client.StateOpened:
		r.Ended = timeOf(m.GetReceiveTime())
	case client.StateBurned:
		r.Ended = timeOf(m.GetBurnTime())
	case client.StateExpired:
		r.Ended = r.Expires
	case client.StateWaiting, client.StateUnknown:
	}
	for _, address := range m.GetRecipients() {
		r.Recipients = append(r.Recipients, client.Plain(address))
	}
	r.Events = eventsOf(m.GetEvents())
	for _, mail := range m.GetDeliveries() {
		r.Mails = append(r.Mails, client.Mail{Recipient: client.Plain(mail.GetRecipient()), State: mailStates()[mail.GetState()]})
	}
	return r
}

// eventsOf returns the events of kinds that this version knows.
func eventsOf(events []*hushv1.Event) (known []client.Event) {
	for _, event := range events {
		if kind, ok := eventKinds()[event.GetKind()]; ok {
			known = append(known, client.Event{Kind: kind, Time: timeOf(event.GetTime()), Network: client.Plain(event.GetNetwork()), Count: int(event.GetCount())})
		}
	}
	return known
}

func stateOf(s hushv1.State) client.State {
	switch s {
	case hushv1.State_STATE_NEW, hushv1.State_STATE_VIEWED:
		return client.StateWaiting
	case hushv1.State_STATE_RECEIVED:
		return client.StateOpened
	case hushv1.State_STATE_BURNED:
		return client.StateBurned
	case hushv1.State_STATE_EXPIRED:
		return client.StateExpired
	default:
		return client.StateUnknown
	}
}

// deliveryOf returns what the timeline says of an opened secret. It does not say
// whether the reader has a claim: a device that has one confirms soon or never. Who
// may not see the timeline does not learn it.
func deliveryOf(m *hushv1.Metadata) client.Delivery {
	if m.GetState() != hushv1.State_STATE_RECEIVED {
		return client.DeliveryUnknown
	}
	revealed := false
	for _, event := range m.GetEvents() {
		switch event.GetKind() {
		case hushv1.Event_KIND_DELIVERED:
			return client.DeliveryConfirmed
		case hushv1.Event_KIND_LAPSED:
			return client.DeliveryLapsed
		case hushv1.Event_KIND_REVEALED:
			revealed = true
		default:
		}
	}
	// A file is always opened with a claim, which lasts for hours: its end is an event.
	if revealed && (m.GetFile() != nil || sinceOpened(m) < confirmable) {
		return client.DeliveryPending
	}
	return client.DeliveryUnknown
}

// sinceOpened returns how long ago a secret was opened, by the server's clock.
func sinceOpened(m *hushv1.Metadata) time.Duration {
	now := m.GetExpireTime().AsTime().Add(-m.GetTtlLeft().AsDuration())
	return now.Sub(m.GetReceiveTime().AsTime())
}

func eventKinds() map[hushv1.Event_Kind]string {
	return map[hushv1.Event_Kind]string{
		hushv1.Event_KIND_CREATED:    "created",
		hushv1.Event_KIND_LOOKED:     "looked",
		hushv1.Event_KIND_PASSPHRASE: "passphrase",
		hushv1.Event_KIND_REVEALED:   "revealed",
		hushv1.Event_KIND_BURNED:     "burned",
		hushv1.Event_KIND_EXPIRED:    "expired",
		hushv1.Event_KIND_DELIVERED:  "delivered",
		hushv1.Event_KIND_LAPSED:     "lapsed",
	}
}

func mailStates() map[hushv1.Delivery_State]string {
	return map[hushv1.Delivery_State]string{
		hushv1.Delivery_STATE_NOT_CONFIGURED: "not configured",
		hushv1.Delivery_STATE_QUEUED:         "queued",
		hushv1.Delivery_STATE_SENT:           "sent",
		hushv1.Delivery_STATE_FAILED:         "failed",
		hushv1.Delivery_STATE_DROPPED:        "dropped",
		hushv1.Delivery_STATE_UNSUPPORTED:    "unsupported",
	}
}

// timeOf returns a time; the zero time for none.
func timeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}
