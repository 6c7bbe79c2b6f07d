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
	// failures are the streams in a row that brought no message.
	failures int
}

// Watch implements client.Backend.
func (h *Client) Watch(ctx context.Context, key client.Text) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		w := &watching{Client: h, key: key, yield: yield}
		for {
			over, fail := w.follow(ctx)
			if over {
				return
			}
			if fail == nil {
				fail = &failure{Err: &client.Error{Kind: client.KindNetwork, Message: "the server ended the stream"}, Outcome: attempt.OutcomeUnknown, Repeatable: true}
			}
			if !w.mayResume(ctx, fail) {
				yield(client.Receipt{}, attempt.OfReceipt(fail.Err))
				return
			}
			w.failures++
			if !h.wait(ctx, fail.Err, h.pace.Pause(w.failures-1, fail.Err.RetryAfter)) {
				yield(client.Receipt{}, attempt.Ended(ctx.Err()))
				return
			}
		}
	}
}

// mayResume reports whether another stream may follow one that broke. Before the
// first message it gives up soon.
func (w *watching) mayResume(ctx context.Context, fail *failure) bool {
	if ctx.Err() != nil || w.shown == nil && (!fail.Repeatable || w.failures >= attempt.CallsMax-1) {
		return false
	}
	return fail.Outcome != attempt.OutcomeRefused || fail.Err.Kind == client.KindLimited && fail.Err.RetryAfter > 0 && w.shown != nil
}

// follow reads one stream. over reports whether nothing is left to yield.
func (w *watching) follow(ctx context.Context) (over bool, fail *failure) {
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
		w.failures = 0
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
