package shares

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"hush/storage"
)

// BucketShred has slot number (8) -> generation (8).
const BucketShred = "shred"

// gathering is how long destroyed shares wait for more of them. No caller waits for
// a row to be struck off, but each commit that strikes some keeps the next caller
// waiting.
const gathering = 50 * time.Millisecond

// strikeBatch is the maximum number of rows that one transaction strikes off.
const strikeBatch = 1024

// shredQueue strikes destroyed shares off the list and then frees their slots.
// It works in the background: until a row is struck off, a start merely
// destroys a destroyed share again.
type shredQueue struct {
	strike func(context.Context, []storage.Slot) error
	log    *slog.Logger
	wake   chan struct{}

	mu    sync.Mutex
	slots []storage.Slot
}

func newShredQueue(strike func(context.Context, []storage.Slot) error, log *slog.Logger) *shredQueue {
	return &shredQueue{strike: strike, log: log, wake: make(chan struct{}, 1)}
}

// add queues slots whose shares are durably destroyed.
func (s *shredQueue) add(slots ...storage.Slot) {
	s.mu.Lock()
	s.slots = append(s.slots, slots...)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run strikes off slots until ctx ends, and then the remaining ones.
func (s *shredQueue) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.strikeAll()
			return
		case <-s.wake:
			more := time.NewTimer(gathering)
			select {
			case <-ctx.Done():
			case <-more.C:
			}
			more.Stop()
			s.strikeAll()
		}
	}
}

func (s *shredQueue) strikeAll() {
	for {
		s.mu.Lock()
		n := min(len(s.slots), strikeBatch)
		slots := s.slots[:n:n]
		s.slots = s.slots[n:]
		s.mu.Unlock()
		if len(slots) == 0 {
			return
		}
		if err := s.strike(context.Background(), slots); err != nil {
			s.log.Error("striking destroyed shares off the list; the sweeper will retry", "cause", err)
			return
		}
	}
}

// overdueMost bounds how many slots are remembered from one sweep to the next.
const overdueMost = 1 << 16
