package bolt

import (
	"context"
	"sync"

	"hush/storage"
)

// maxBatch bounds how long a commit can make its callers wait, and how much
// work a failing update makes the others repeat.
const maxBatch = 1024

// update is one call of Update in the writer's queue. It holds its context
// because the writer, not the caller, checks it.
type update struct {
	ctx context.Context //nolint:containedctx // see above
	fn  func(storage.Tx) error
	// reserved reports that it may use the ballast's space.
	reserved bool
	ran      bool
	err      error
	done     chan struct{}
}

// queue is where updates wait for the writer.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*update
	closed  bool
}

// push adds u and reports whether the queue still accepts updates.
func (q *queue) push(u *update) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, u)
	if len(q.waiting) == 1 {
		q.arrived.Signal()
	}
	return true
}

// length returns how many updates wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// take moves up to maxBatch updates into batch, waiting for the first. It
// returns none when the queue is closed and empty.
func (q *queue) take(batch []*update) []*update {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.arrived.Wait()
	}
	n := min(len(q.waiting), maxBatch)
	batch = append(batch, q.waiting[:n]...)
	left := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[left:])
	q.waiting = q.waiting[:left]
	return batch
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.arrived.Signal()
}
