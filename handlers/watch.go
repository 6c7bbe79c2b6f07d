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
	w := watcher{watch: watch, stream: stream}
	return follow(ctx, watch.Changed(), w.show)
}

// follow calls show at once, after each change, and with beat when a message is due even
// without a change, until nothing more can follow.
func follow(ctx context.Context, changed <-chan struct{}, show func(ctx context.Context, beat bool) (over bool, err error)) error {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for beat := false; ; {
		if over, err := show(ctx, beat); err != nil || over {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err() // the caller left, or a time is up
		case <-changed:
			beat = false
		case <-tick.C:
			beat = true
		}
	}
}

// watcher is a stream that follows a receipt.
type watcher struct {
	watch  *receipt.Watch
	stream *connect.ServerStream[hushv1.WatchMetadataResponse]
	shown  *hushv1.Metadata // as last sent
}

// show sends the receipt if it changed since the last time, or if a heartbeat
// is due. over reports whether nothing more can follow.
func (w *watcher) show(ctx context.Context, beat bool) (over bool, err error) {
	found, err := w.watch.Metadata(ctx)
	if err != nil {
		return false, err
	}
	now := metadataOf(found)
	message := new(hushv1.WatchMetadataResponse)
	if !sameReceipt(w.shown, now) {
		w.shown, message.Metadata = now, now
	} else if !beat {
		return false, nil
	}
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
