package fair

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"hush/vault/refusal"
)

// Limits are the bounds of a Queue. All must be positive; Waiting and Share may be Any.
type Limits struct {
	// Running is how many callers have a turn at a time.
	Running int64
	// Waiting is how many others may wait for one.
	Waiting int64
	// Share is how many callers of one key may have a turn or wait for one.
	Share int64
	// Wait is how long a caller waits at most.
	Wait time.Duration
}

// Queue gives turns to callers, in the order in which they came, and lets a bounded
// number of others wait. It is safe for concurrent use.
type Queue[K comparable] struct {
	wait    time.Duration
	places  *Limiter[K] // of those that have a turn and those that wait
	turns   *semaphore.Weighted
	running atomic.Int64
}

// NewQueue returns an empty queue.
func NewQueue[K comparable](limits Limits) *Queue[K] {
	places := int64(Any)
	if limits.Waiting < Any-limits.Running {
		places = limits.Running + limits.Waiting
	}
	return &Queue[K]{wait: limits.Wait, places: NewLimiter[K](places, limits.Share), turns: semaphore.NewWeighted(limits.Running)}
}

// Enter waits for a turn, and returns a function that ends it, which must be called
// once. It returns refusal.ErrBusy at once if the key has its share or too many wait,
// and after Limits.Wait if others have all turns. If ctx ends, it returns the error of
// ctx, and the caller loses nothing but its place.
func (q *Queue[K]) Enter(ctx context.Context, key K) (leave func(), err error) {
	if !q.places.Take(key, 1) {
		return nil, refusal.ErrBusy
	}
	if err := AcquireWithin(ctx, q.turns, 1, q.wait); err != nil {
		q.places.Give(key, 1)
		return nil, err
	}
	q.running.Add(1)
	return func() {
		q.running.Add(-1)
		q.turns.Release(1)
		q.places.Give(key, 1)
	}, nil
}

// AcquireWithin takes n of a semaphore. It returns refusal.ErrBusy if that takes longer
// than the wait, and the error of ctx if ctx ends before.
func AcquireWithin(ctx context.Context, turns *semaphore.Weighted, n int64, wait time.Duration) error {
	waiting, stop := context.WithTimeout(ctx, wait)
	defer stop()
	if turns.Acquire(waiting, n) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return refusal.ErrBusy
}

// Load returns how many callers have a turn, and how many wait for one.
func (q *Queue[K]) Load() (running, waiting int) {
	has := q.running.Load()
	return int(has), int(max(0, q.places.Held()-has))
}
