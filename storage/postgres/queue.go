package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hush/storage"
)

// update is one call of Update. Its fn runs on the goroutine of the caller,
// whenever a lane sends a transaction to work.
type update struct {
	fn       func(storage.Tx) error
	reserved bool
	since    time.Time   // when it began to wait
	started  atomic.Bool // by the lane, or by the caller to withdraw
	work     chan *run
	done     chan struct{} // one token when err is set
	err      error
}

// run is one run of an update's fn.
type run struct {
	tx
	of    *update
	err   error
	ended bool            // fn returned: it neither panicked nor ended its goroutine
	all   *sync.WaitGroup // of those that run at the same time
}

// wait runs fn as often as a lane asks for it, until the update is answered.
func (u *update) wait(ctx context.Context) error {
	withdraw := ctx.Done()
	for {
		select {
		case r := <-u.work:
			r.call()
		case <-u.done:
			return u.err
		case <-withdraw:
			if u.started.CompareAndSwap(false, true) {
				return ctx.Err()
			}
			withdraw = nil
		}
	}
}

// call runs fn. A panic goes on to the caller of Update after the lane has been
// told.
func (r *run) call() {
	defer r.all.Done()
	defer func() { r.done = true }()
	r.err = r.of.fn(&r.tx)
	r.ended = true
}

// start begins the first run and reports whether the caller still waits.
func (u *update) start() bool { return u.started.CompareAndSwap(false, true) }

// giveUp answers an update that has waited for patience, and reports whether it
// did.
func (u *update) giveUp(patience time.Duration) bool {
	waited := time.Since(u.since)
	if waited > patience {
		u.answer(fmt.Errorf("%w: it did not serve the updates before this one either", ErrUnavailable))
	}
	return waited > patience
}

func (u *update) answer(err error) {
	u.err = outward(err)
	u.done <- struct{}{}
}

// queue is where updates wait for a lane.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*update
	closed  bool
}

// push adds u and reports whether the queue still takes updates.
func (q *queue) push(u *update) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, u)
	q.arrived.Signal()
	return true
}

// length returns how many updates wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// take moves up to most updates into batch, waiting for the first. It returns
// none when the queue is closed and empty.
func (q *queue) take(batch []*update, most int) []*update {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.arrived.Wait()
	}
	n := min(len(q.waiting), most)
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
	q.arrived.Broadcast()
}
