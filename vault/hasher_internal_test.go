package vault

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Passwords are hashed two at a time, and no more than the queue may wait;
// passphrases have a queue of their own.
func TestPasswordsWaitInTheirOwnQueue(t *testing.T) {
	t.Parallel()
	h := newHasher()
	for range passwordHashes {
		leave, err := h.passwords.turn(t.Context())
		if err != nil {
			t.Fatalf("turn(): got %v, want nil", err)
		}
		defer leave()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.passwords.turn(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("turn(third): got %v, want %v", err, context.Canceled)
	}
	leave, err := h.turn(t.Context())
	if err != nil {
		t.Fatalf("turn(passphrase): got %v, want nil", err)
	}
	leave()
	for range hashQueue {
		h.passwords.waiting <- struct{}{}
	}
	if _, err := h.passwords.turn(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("turn(full queue): got %v, want %v", err, ErrBusy)
	}
}

// The attack: a rush of passphrases and passwords, each of which takes much
// memory and time. What is hashed at a time is bounded, and so is the queue.
func TestHashingIsBounded(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"passphrases": 2 * runtime.NumCPU(), "passwords": passwordHashes} {
		synctest.Test(t, func(t *testing.T) {
			h := newHasher()
			lane := h.hashing
			if name == "passwords" {
				lane = h.passwords
			}
			var running gauge
			var busy atomic.Int64
			var all sync.WaitGroup
			for range 500 {
				all.Go(func() {
					leave, err := lane.turn(t.Context())
					if err != nil {
						busy.Add(1)
						return
					}
					defer leave()
					running.add(1)
					time.Sleep(time.Millisecond)
					running.add(-1)
				})
			}
			all.Wait()
			if got := running.most; got != most {
				t.Errorf("%s hashed at a time: got %d, want %d", name, got, most)
			}
			if got := busy.Load(); got != int64(500-most-hashQueue) {
				t.Errorf("%s refused: got %d, want %d", name, got, 500-most-hashQueue)
			}
		})
	}
}

// gauge counts what runs at a time and keeps the most.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.most = max(g.most, g.now)
}
