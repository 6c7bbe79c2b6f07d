package guess

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hush/vault/caller"
	"hush/vault/refusal"
)

// Passwords are hashed two at a time, and no more than the queue may wait;
// passphrases have a queue of their own.
func TestPasswordsWaitInTheirOwnQueue(t *testing.T) {
	t.Parallel()
	h := NewHasher()
	for range passwordHashes {
		release, err := h.Passwords.Enter(t.Context())
		if err != nil {
			t.Fatalf("Enter: got %v, want nil", err)
		}
		defer release()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Passwords.Enter(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("turn(third): got %v, want %v", err, context.Canceled)
	}
	release, err := h.Enter(t.Context(), caller.Network{})
	if err != nil {
		t.Fatalf("turn(passphrase): got %v, want nil", err)
	}
	release()
	for range hashQueue {
		h.Passwords.waiting <- struct{}{}
	}
	if _, err := h.Passwords.Enter(t.Context()); !errors.Is(err, refusal.ErrBusy) {
		t.Errorf("turn(full queue): got %v, want %v", err, refusal.ErrBusy)
	}
}

// The attack: one address conceals with many passphrases at a time, to keep all
// others waiting. A network has a quarter of the places, and its further
// callers do not even wait.
func TestNetworkHasItsShareOfHashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, ctx := NewHasher(), t.Context()
		greedy, other := caller.NetworkOf(netip.MustParseAddr("192.0.2.1")), caller.NetworkOf(netip.MustParseAddr("192.0.2.2"))
		share := cap(h.passphrases.waiting) / 4
		start := func(n caller.Network, times int) (release chan struct{}, done *sync.WaitGroup) {
			release, done = make(chan struct{}), new(sync.WaitGroup)
			for range times {
				done.Go(func() {
					if back, err := h.Enter(ctx, n); err == nil {
						<-release
						back()
					}
				})
			}
			synctest.Wait()
			return release, done
		}
		first, firstDone := start(greedy, share)
		if _, err := h.Enter(ctx, greedy); !errors.Is(err, refusal.ErrBusy) {
			t.Errorf("turn(a network with its share): got %v, want %v", err, refusal.ErrBusy)
		}
		second, secondDone := start(other, 1)
		if got := len(h.passphrases.waiting); got != share+1 {
			t.Errorf("places taken with another network's: got %d, want %d", got, share+1)
		}
		close(first)
		close(second)
		firstDone.Wait()
		secondDone.Wait()
		if len(h.held) != 0 || len(h.passphrases.waiting) != 0 {
			t.Errorf("places after all left: got %v and %d, want none", h.held, len(h.passphrases.waiting))
		}
		back, err := h.Enter(ctx, greedy)
		if err != nil {
			t.Fatalf("turn(after all left): got %v, want nil", err)
		}
		back()
	})
}

// The attack: a rush of passphrases and passwords, each of which takes much
// memory and time. What is hashed at a time is bounded, and so is the queue.
func TestHashingIsBounded(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"passphrases": 2 * runtime.NumCPU(), "passwords": passwordHashes} {
		synctest.Test(t, func(t *testing.T) {
			h := NewHasher()
			lane := h.passphrases
			if name == "passwords" {
				lane = h.Passwords
			}
			var running gauge
			var busy atomic.Int64
			var all sync.WaitGroup
			for range 500 {
				all.Go(func() {
					release, err := lane.Enter(t.Context())
					if err != nil {
						busy.Add(1)
						return
					}
					defer release()
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
