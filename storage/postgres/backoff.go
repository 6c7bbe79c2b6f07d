package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"
)

const (
	firstPause = 2 * time.Millisecond
	worstPause = 500 * time.Millisecond
)

// pause waits before the attempt after the given one: longer each time, and by
// a random part, so that nodes which failed each other do not meet again. It
// returns false, at once, if the wait would end after until, and when ctx ends.
func pause(ctx context.Context, attempt int, until time.Time) bool {
	wait := min(firstPause<<min(attempt, 16), worstPause)
	wait = wait/2 + time.Duration(randomUint64()%uint64(wait/2+1))
	if time.Now().Add(wait).After(until) {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func randomUint64() uint64 {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails: it ends the process instead
	return binary.BigEndian.Uint64(raw[:])
}
