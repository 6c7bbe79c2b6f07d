package client

import (
	"context"
	"iter"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
)

const (
	// shortSize is how much of a receipt's key may be shown.
	shortSize = 8
	// pageSize is how many receipts are read at a time.
	pageSize = 100
	// confirmable is how long after a reveal a device can confirm at most, with some
	// time to spare.
	confirmable = ClaimTime + 10*time.Second
)

func (h *hushBackend) receipt(ctx context.Context, key Text) (Receipt, error) {
	answer, err := ask(ctx, h, h.metadata.GetMetadata, &hushv1.GetMetadataRequest{MetadataKey: key.Expose()})
	if err != nil {
		return Receipt{}, ofReceipt(err)
	}
	return readReceipt(answer.GetMetadata())
}

// readReceipt returns the receipt in an answer.
func readReceipt(m *hushv1.Metadata) (Receipt, error) {
	if stateOf(m.GetState()) == StateUnknown {
		return Receipt{}, &Error{Kind: KindProtocol, Message: notHush}
	}
	return receiptOf(m), nil
}

// ofReceipt returns an error with the words for receipts.
func ofReceipt(err error) error {
	if KindOf(err) == KindGone {
		return &Error{Kind: KindGone, Message: "there is no such receipt, or it was forgotten after its time"}
	}
	return err
}

// burn repeats after a lost answer. If the secret is gone then, the receipt says
// whether it was this call that burned it.
func (h *hushBackend) burn(ctx context.Context, key, _ Text) (Receipt, error) {
	request, lost := &hushv1.BurnSecretRequest{MetadataKey: key.Expose()}, false
	for number := 0; ; number++ {
		answer, fail := call(ctx, h, h.secrets.BurnSecret, request, answerTime)
		switch {
		case fail == nil:
			return readReceipt(answer.GetMetadata())
		case fail.err.Kind == KindGone && lost:
			if found, err := h.receipt(ctx, key); err == nil && found.State == StateBurned {
				return found, nil
			}
			return Receipt{}, fail.err
		case fail.fate == fateRefused || fail.futile || number == asks-1:
			return Receipt{}, fail.err
		}
		lost = lost || fail.fate == fateLost
		if !h.wait(ctx, fail.err, h.pace.pause(number, min(fail.err.RetryAfter, waitMax))) {
			return Receipt{}, endedError(ctx.Err())
		}
	}
}

func (h *hushBackend) receipts(ctx context.Context) iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		if h.token.IsEmpty() {
			yield(Receipt{}, errNoToken())
			return
		}
		request := &hushv1.ListMetadataRequest{PageSize: pageSize}
		for {
			page, err := ask(ctx, h, h.metadata.ListMetadata, request)
			if err != nil {
				yield(Receipt{}, err)
				return
			}
			for _, metadata := range page.GetMetadata() {
				if !yield(receiptOf(metadata), nil) {
					return
				}
			}
			if sealed := int(page.GetSealedCount()); sealed > 0 && !yield(Receipt{Sealed: sealed}, nil) {
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

func receiptOf(m *hushv1.Metadata) Receipt {
	key := m.GetMetadataKey()
	r := Receipt{
		Key: Hide(key), ShortID: plain(key[:min(shortSize, len(key))]),
		State: stateOf(m.GetState()), Delivery: deliveryOf(m),
		HasPassphrase: m.GetHasPassphrase(), LockedForGood: m.GetLockedForGood(), Encryption: encryptionOf(m.GetEncryption()),
		Label: m.GetMemo(), Domain: plain(m.GetShareDomain()), TTL: m.GetTtl().AsDuration(),
		Created: timeOf(m.GetCreateTime()), Expires: timeOf(m.GetSecretExpireTime()),
	}
	switch r.State {
	case StateOpened:
		r.Ended = timeOf(m.GetReceiveTime())
	case StateBurned:
		r.Ended = timeOf(m.GetBurnTime())
	case StateExpired:
		r.Ended = r.Expires
	case StateWaiting, StateUnknown:
	}
	for _, address := range m.GetRecipients() {
		r.Recipients = append(r.Recipients, plain(address))
	}
	for _, event := range m.GetEvents() {
		if kind, ok := eventKinds()[event.GetKind()]; ok {
			r.Events = append(r.Events, Event{Kind: kind, Time: timeOf(event.GetTime()), Network: plain(event.GetNetwork()), Count: int(event.GetCount())})
		}
	}
	for _, mail := range m.GetDeliveries() {
		r.Mails = append(r.Mails, Mail{Recipient: plain(mail.GetRecipient()), State: mailStates()[mail.GetState()]})
	}
	return r
}

func stateOf(s hushv1.State) State {
	switch s {
	case hushv1.State_STATE_NEW, hushv1.State_STATE_VIEWED:
		return StateWaiting
	case hushv1.State_STATE_RECEIVED:
		return StateOpened
	case hushv1.State_STATE_BURNED:
		return StateBurned
	case hushv1.State_STATE_EXPIRED:
		return StateExpired
	default:
		return StateUnknown
	}
}

// deliveryOf returns what the timeline says of an opened secret. It does not say
// whether the reader has a claim: a device that has one confirms soon or never. Who
// may not see the timeline does not learn it.
func deliveryOf(m *hushv1.Metadata) Delivery {
	if m.GetState() != hushv1.State_STATE_RECEIVED {
		return DeliveryUnknown
	}
	revealed := false
	for _, event := range m.GetEvents() {
		switch event.GetKind() {
		case hushv1.Event_KIND_DELIVERED:
			return DeliveryConfirmed
		case hushv1.Event_KIND_LAPSED:
			return DeliveryLapsed
		case hushv1.Event_KIND_REVEALED:
			revealed = true
		default:
		}
	}
	if revealed && sinceOpened(m) < confirmable {
		return DeliveryPending
	}
	return DeliveryUnknown
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
