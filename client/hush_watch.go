package client

import (
	"context"
	"iter"
	"reflect"
	"time"

	hushv1 "hush/gen/hush/v1"
)

// silenceMax is how long a stream may say nothing: two heartbeats of the server
// and some time to spare. Then the connection counts as broken.
const silenceMax = 40 * time.Second

// watching is one Watch.
type watching struct {
	*hushBackend

	key   Text
	yield func(Receipt, error) bool
	// shown is the receipt as last yielded, without its key; nil before the first.
	shown *Receipt
	// failures are the streams in a row that brought no message.
	failures int
}

func (h *hushBackend) watch(ctx context.Context, key Text) iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		w := &watching{hushBackend: h, key: key, yield: yield}
		for {
			over, fail := w.follow(ctx)
			if over {
				return
			}
			if fail == nil {
				fail = &failure{err: &Error{Kind: KindNetwork, Message: "the server ended the stream"}, fate: fateLost}
			}
			if !w.mayResume(ctx, fail) {
				yield(Receipt{}, ofReceipt(fail.err))
				return
			}
			w.failures++
			if !h.wait(ctx, fail.err, h.pace.pause(w.failures-1, fail.err.RetryAfter)) {
				yield(Receipt{}, endedError(ctx.Err()))
				return
			}
		}
	}
}

// mayResume reports whether another stream may follow one that broke. Before the
// first message it gives up soon.
func (w *watching) mayResume(ctx context.Context, fail *failure) bool {
	if ctx.Err() != nil || w.shown == nil && (fail.futile || w.failures >= asks-1) {
		return false
	}
	return fail.fate != fateRefused || fail.err.Kind == KindLimited && fail.err.RetryAfter > 0 && w.shown != nil
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
func (w *watching) show(r Receipt) (over bool) {
	key := r.Key
	r.Key = Text{}
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
	if w.shown == nil || w.shown.Delivery != DeliveryPending {
		return false
	}
	last := *w.shown
	last.Key, last.Delivery = w.key, DeliveryUnknown
	w.yield(last, nil)
	return true
}
