package hush

import (
	"context"
	"iter"
	"reflect"
	"time"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
)

// silenceMax is how long a stream may say nothing: two heartbeats of the server
// and some time to spare. Then the connection counts as broken.
const silenceMax = 40 * time.Second

// watching is one Watch.
type watching struct {
	*Client

	key   client.Text
	yield func(client.Receipt, error) bool
	// shown is the receipt as last yielded, without its key; nil before the first.
	shown *client.Receipt
	// heard reports whether the last stream brought a message.
	heard bool
}

// Watch implements client.Backend.
func (h *Client) Watch(ctx context.Context, key client.Text) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		w := &watching{Client: h, key: key, yield: yield}
		_, fail := attempt.Do(ctx, h.repeats.Endless(), func(number int) (struct{}, *failure) {
			return struct{}{}, w.watchOnce(ctx, number)
		})
		if fail != nil {
			yield(client.Receipt{}, attempt.OfReceipt(fail.Err))
		}
	}
}

// watchOnce reads one stream. It returns nil if nothing is left to yield. Its failure
// says whether another stream may follow: before the first receipt it gives up soon.
func (w *watching) watchOnce(ctx context.Context, number int) *failure {
	over, fail := w.follow(ctx)
	if over {
		return nil
	}
	if fail == nil {
		ended := &client.Error{Kind: client.KindNetwork, Message: "the server ended the stream"}
		fail = &failure{Err: ended, Outcome: attempt.OutcomeUnknown, Repeatable: true}
	}
	if fail.Progressed = w.heard; w.heard {
		number = 0
	}
	switch isLimit := fail.Err.Kind == client.KindLimited && fail.Err.RetryAfter > 0; {
	case ctx.Err() != nil:
		fail.Repeatable = false
	case w.shown == nil:
		fail.Repeatable = fail.Repeatable && number < attempt.CallsMax-1
	default:
		fail.Repeatable = isLimit || fail.Outcome != attempt.OutcomeRefused
	}
	return fail
}

// follow reads one stream. over reports whether nothing is left to yield.
func (w *watching) follow(ctx context.Context) (over bool, fail *failure) {
	w.heard = false
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	broken := time.AfterFunc(w.silence, cancel)
	defer broken.Stop()
	request := &hushv1.WatchMetadataRequest{MetadataKey: w.key.Expose()}
	stream, err := w.metadata.WatchMetadata(within, request)
	if err != nil {
		return false, w.failed(ctx, request, err)
	}
	defer stream.Close()
	defer cancel() // before Close, which would read on
	for stream.Receive() {
		broken.Reset(w.silence)
		w.heard = true
		if message := stream.Msg(); message.GetMetadata() != nil {
			if over := w.show(receiptOf(message.GetMetadata())); over {
				return true, nil
			}
		}
	}
	if err := stream.Err(); err != nil {
		return false, w.failed(ctx, request, err)
	}
	return w.settled(), nil
}

// show yields a receipt if it is not as it was. over reports whether nothing is
// left to yield.
func (w *watching) show(r client.Receipt) (over bool) {
	key := r.Key
	r.Key = client.Text{}
	if w.shown != nil && reflect.DeepEqual(*w.shown, r) {
		return r.IsFinal()
	}
	w.shown = new(r)
	r.Key = key
	return !w.yield(r, nil) || r.IsFinal()
}

// settled is what the end of a stream means: the server ends it when nothing can
// follow, as after a reveal without a claim. It reports whether that is so.
func (w *watching) settled() bool {
	if w.shown == nil || w.shown.Delivery != client.DeliveryPending {
		return false
	}
	last := *w.shown
	last.Key, last.Delivery = w.key, client.DeliveryUnknown
	w.yield(last, nil)
	return true
}
