package chain

import (
	"context"
	"net/http"
	"time"
)

// HoldPart takes room for a part of a file that a call is about to return, until the response
// is sent. It waits for it, so that a reader is served in turn instead of being refused, and
// returns an error if that takes too long.
func HoldPart(ctx context.Context, bytes int64) error {
	r := recordFrom(ctx)
	if r == nil || r.body == nil {
		return nil
	}
	if !r.body.await(bytes) {
		r.limit = limitBodies
		return heldError()
	}
	return nil
}

// await is hold for bytes that wait for room. Until there is some, the peer's deadlines stand
// still: it is not slow, but kept waiting.
func (b *body) await(n int64) bool {
	if b.hold(n) {
		return true
	}
	control := http.NewResponseController(b.to)
	end := time.Now().Add(partWait)
	if b.pace != nil && !b.ended {
		_ = control.SetReadDeadline(end.Add(b.pace.Read))
		_ = control.SetWriteDeadline(end.Add(b.pace.Read + b.pace.Write))
		b.moved = true
	}
	look := time.NewTicker(partLook)
	defer look.Stop()
	for time.Now().Before(end) {
		select {
		case <-b.gone:
			return false
		case <-look.C:
		}
		if b.hold(n) {
			b.began = time.Now()
			return true
		}
	}
	return false
}

// admit holds the whole body of a part before its first byte is read: of calls that held
// halves of theirs, none could go on.
func (b *body) admit() bool {
	if b.taken > 0 || b.ahead > 0 || !b.record.part || b.left <= 0 {
		return true
	}
	b.ahead = b.left
	if most := b.record.most; most > 0 {
		b.ahead = min(b.ahead, most) // no more is read of a body that is too long
	}
	return b.await(b.ahead)
}
