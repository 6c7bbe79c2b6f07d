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
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher()
		for range passwordHashes {
			release, err := h.EnterPassword(t.Context())
			if err != nil {
				t.Fatalf("EnterPassword: got %v, want nil", err)
			}
			defer release()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.EnterPassword(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("EnterPassword(third): got %v, want %v", err, context.Canceled)
		}
		release, err := h.Enter(t.Context(), caller.Network{})
		if err != nil {
			t.Fatalf("Enter: got %v, want nil", err)
		}
		release()
		ctx, leave := context.WithCancel(t.Context())
		for range hashQueue {
			go func() {
				if _, err := h.EnterPassword(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("EnterPassword(waits): got %v, want %v", err, context.Canceled)
				}
			}()
		}
		synctest.Wait()
		if _, got := h.Load(); got != (Load{Lanes: passwordHashes, Running: passwordHashes, Waiting: hashQueue}) {
			t.Errorf("Load: got %v, want all places of passwords taken", got)
		}
		if _, err := h.EnterPassword(t.Context()); !errors.Is(err, refusal.ErrBusy) {
			t.Errorf("EnterPassword(full queue): got %v, want %v", err, refusal.ErrBusy)
		}
		leave()
	})
}

// The attack: one address conceals with many passphrases at a time, to keep all
// others waiting. A network has a quarter of the places, and its further
// callers do not even wait.
func TestNetworkHasItsShareOfHashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, ctx := NewHasher(), t.Context()
		greedy, other := caller.NetworkOf(netip.MustParseAddr("192.0.2.1")), caller.NetworkOf(netip.MustParseAddr("192.0.2.2"))
		share := (2*runtime.NumCPU() + 64) / 4
		places := func() int { load, _ := h.Load(); return load.Running + load.Waiting }
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
			t.Errorf("Enter(a network with its share): got %v, want %v", err, refusal.ErrBusy)
		}
		second, secondDone := start(other, 1)
		if got := places(); got != share+1 {
			t.Errorf("places taken with another network's: got %d, want %d", got, share+1)
		}
		close(first)
		close(second)
		firstDone.Wait()
		secondDone.Wait()
		if got := places(); got != 0 {
			t.Errorf("places after all left: got %d, want none", got)
		}
		back, err := h.Enter(ctx, greedy)
		if err != nil {
			t.Fatalf("Enter(after all left): got %v, want nil", err)
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
			enter := h.EnterPassword
			if name == "passphrases" {
				var networks atomic.Uint32 // each has a share of its own
				enter = func(ctx context.Context) (func(), error) {
					n := networks.Add(1)
					return h.Enter(ctx, caller.NetworkOf(netip.AddrFrom4([4]byte{192, 0, byte(n >> 8), byte(n)})))
				}
			}
			var running gauge
			var busy atomic.Int64
			var all sync.WaitGroup
			for range 500 {
				all.Go(func() {
					release, err := enter(t.Context())
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
