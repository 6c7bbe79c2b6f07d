package handlers

import (
	"context"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/receipt"
)

// heartbeat is the interval at which a stream sends a message even without a
// change. Proxies close a stream that is silent for a minute.
const heartbeat = 15 * time.Second

// WatchMetadata follows a receipt until its secret has ended, and the claim on it
// if it was revealed with one. It returns nil then only: at the caller's deadline, and
// when the caller leaves, it returns the context's error.
func (s *MetadataService) WatchMetadata(ctx context.Context, req *hushv1.WatchMetadataRequest, stream *connect.ServerStream[hushv1.WatchMetadataResponse]) error {
	watch, err := s.receipts.WatchMetadata(ctx, chain.CallerFrom(ctx), req.GetMetadataKey())
	if err != nil {
		return err
	}
	defer watch.Close()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	w := watcher{watch: watch, stream: stream}
	for {
		if over, err := w.show(ctx); err != nil || over {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err() // the caller left, or a time is up
		case <-watch.Changed():
		case <-tick.C:
			w.beat = true
		}
	}
}

// watcher is a stream that follows a receipt.
type watcher struct {
	watch  *receipt.Watch
	stream *connect.ServerStream[hushv1.WatchMetadataResponse]
	shown  *hushv1.Metadata // as last sent
	beat   bool             // a message is due even without a change
}

// show sends the receipt if it changed since the last time, or if a heartbeat
// is due. over reports whether nothing more can follow.
func (w *watcher) show(ctx context.Context) (over bool, err error) {
	found, err := w.watch.Metadata(ctx)
	if err != nil {
		return false, err
	}
	now := metadataOf(found)
	message := new(hushv1.WatchMetadataResponse)
	if !sameReceipt(w.shown, now) {
		w.shown, message.Metadata = now, now
	} else if !w.beat {
		return false, nil
	}
	w.beat = false
	over = !found.State.Live() && found.Outcome != receipt.OutcomeAwaited
	return over, w.stream.Send(message)
}

// sameReceipt reports whether nothing but the remaining time changed.
func sameReceipt(before, now *hushv1.Metadata) bool {
	if before == nil {
		return false
	}
	then, ok := proto.Clone(before).(*hushv1.Metadata)
	if !ok {
		return false
	}
	then.TtlLeft, then.SecretTtlLeft = now.GetTtlLeft(), now.GetSecretTtlLeft()
	return proto.Equal(then, now)
}
