package hush

import (
	"context"
	"iter"
	"reflect"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
)

// watching is one Watch.
type watching struct {
	key   client.Text
	yield func(client.Receipt, error) bool
	// last is the receipt as last yielded, without its key; nil before the first.
	last *client.Receipt
}

// Watch implements client.Backend.
func (h *Client) Watch(ctx context.Context, key client.Text) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		w := &watching{key: key, yield: yield}
		s := &streams[hushv1.WatchMetadataRequest, hushv1.WatchMetadataResponse, *hushv1.WatchMetadataRequest]{
			Client: h, rpc: h.metadata.WatchMetadata, request: &hushv1.WatchMetadataRequest{MetadataKey: key.Expose()}, ended: w.settled,
		}
		s.take = func(message *hushv1.WatchMetadataResponse) (over bool, _ *failure) {
			if message.GetMetadata() != nil {
				over, s.shown = w.show(receiptOf(message.GetMetadata())), true
			}
			return over, nil
		}
		if fail := s.follow(ctx); fail != nil {
			yield(client.Receipt{}, attempt.OfReceipt(fail.Err))
		}
	}
}

// show yields a receipt if it is not as it was. over reports whether nothing is
// left to yield.
func (w *watching) show(r client.Receipt) (over bool) {
	key := r.Key
	r.Key = client.Text{}
	if w.last != nil && reflect.DeepEqual(*w.last, r) {
		return r.IsFinal()
	}
	w.last = new(r)
	r.Key = key
	return !w.yield(r, nil) || r.IsFinal()
}

// settled is what the end of a stream means: the server ends it when nothing can
// follow, as after a reveal without a claim. It reports whether that is so.
func (w *watching) settled() bool {
	if w.last == nil || w.last.Delivery != client.DeliveryPending {
		return false
	}
	last := *w.last
	last.Key, last.Delivery = w.key, client.DeliveryUnknown
	w.yield(last, nil)
	return true
}
