package bolt

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/disk"
)

// committer is the only writer of the database. It takes all waiting updates,
// runs them in one transaction, commits it, and only then returns their
// results. A failed update may have read what another of its batch wrote, so
// its result also depends on that commit.
type committer struct {
	db     *bbolt.DB
	fault  *disk.Fault
	commit func(*bbolt.Tx) error // replaced by tests
	queue  queue
	values arena
	live   []*update // scratch of commitBatch
	// space decides what only reserved updates may use, and is told of the pages that are
	// free; nil for nothing.
	space    *disk.Space
	pageSize int64
	// stuck reports that a commit panicked and still holds its locks, so that
	// closing the database would block forever.
	stuck   bool
	stopped chan struct{}

	observed storage.Observed
}

func newCommitter(db *bbolt.DB, f *disk.Fault, space *disk.Space) *committer {
	c := &committer{
		db: db, fault: f, space: space, pageSize: int64(db.Info().PageSize), commit: (*bbolt.Tx).Commit, stopped: make(chan struct{}),
	}
	c.queue.arrived.L = &c.queue.mu
	c.countFreePages()
	return c
}

// run serves the queue until it is closed and empty.
func (c *committer) run() {
	defer close(c.stopped)
	var batch []*update
	for {
		batch = c.queue.take(batch[:0])
		if len(batch) == 0 {
			return
		}
		c.commitBatch(batch)
		c.countFreePages()
		for _, u := range batch {
			u.done <- struct{}{}
		}
		clear(batch)
		// Callers whose updates just finished often return at once. Letting
		// them run first keeps the batch from splitting into one of a single
		// update and one of all others.
		runtime.Gosched()
	}
}

// countFreePages tells the space which pages of the database are free since the last
// transaction that writes. A commit that panicked may hold locks.
func (c *committer) countFreePages() {
	if c.space == nil || c.stuck {
		return
	}
	stats := c.db.Stats()
	c.space.SetFreePages(int64(stats.FreePageN)*c.pageSize, int64(stats.PendingPageN)*c.pageSize)
}

// close ends the writer after its queue is empty and closes the database, which
// waits for running views.
func (c *committer) close() error {
	c.queue.close()
	<-c.stopped
	if c.stuck {
		return nil
	}
	if err := c.db.Close(); err != nil {
		return fmt.Errorf("closing database: %w", err)
	}
	return nil
}

// commitBatch sets the result of each update in batch. An update that fails
// after a write aborts the whole transaction, so the others run again without
// it.
func (c *committer) commitBatch(batch []*update) {
	c.live = c.live[:0]
	closed := c.space.ReservedOnly()
	for _, u := range batch {
		if u.err = u.ctx.Err(); u.err == nil && closed && !u.reserved {
			u.err = disk.ErrReserved
		}
		if u.err == nil {
			c.live = append(c.live, u)
		}
	}
	var err error
	for again := true; again && len(c.live) > 0; {
		var drop int
		drop, err = c.attempt(c.live)
		if again = drop >= 0; again {
			c.live = slices.Delete(c.live, drop, drop+1)
		} else if errors.Is(err, storage.ErrFull) {
			again = c.relieve(err)
		}
	}
	clear(c.live)
	if err != nil {
		fail(batch, err)
	}
}

// relieve frees space after a commit on a full disk, if the batch has reserved
// updates. It first fails the other updates with that error, then drops the
// ballast. It reports whether another attempt is worthwhile.
func (c *committer) relieve(full error) bool {
	promised := func(u *update) bool { return u.reserved }
	switch {
	case !slices.ContainsFunc(c.live, promised):
		return false
	case slices.IndexFunc(c.live, func(u *update) bool { return !u.reserved }) < 0:
		return c.space.DropBallast()
	}
	c.live = slices.DeleteFunc(c.live, func(u *update) bool {
		if !u.reserved {
			u.err = full
		}
		return !u.reserved
	})
	return true
}

// fail returns err to every update of batch whose fn ran or was about to: even
// an error of fn may depend on a write that was not committed.
func fail(batch []*update, err error) {
	for _, u := range batch {
		if u.ran || u.err == nil {
			u.err = err
		}
	}
}

// attempt runs live in one transaction and commits it. It returns the index of
// an update that must be dropped before the next attempt, or -1 and the error
// of the commit.
func (c *committer) attempt(live []*update) (drop int, err error) {
	if err := c.fault.Check(); err != nil {
		return -1, err
	}
	btx, err := c.db.Begin(true)
	if err != nil {
		return -1, c.fault.Trip(fmt.Errorf("beginning update: %w", err))
	}
	t := Tx{bolt: btx, writable: true, values: &c.values}
	defer func() {
		t.bolt = nil
		c.values.reset()
	}()
	for i, u := range live {
		writes := t.writes
		u.ran = true
		if u.err = call(u.fn, &t); u.err != nil && t.writes != writes {
			return i, c.rollback(btx)
		}
	}
	if t.writes == 0 {
		return -1, c.rollback(btx)
	}
	if err := call(func(storage.Tx) error { return t.Flush() }, &t); err != nil {
		return -1, errors.Join(err, c.rollback(btx))
	}
	id := btx.ID()
	return -1, c.observed.Commit(len(live), func() error {
		err := c.guard(btx, c.commit)
		switch {
		case err == nil:
			return nil
		case disk.IsFull(err) && c.current() == id-1:
			return fmt.Errorf("committing: %w: %w", storage.ErrFull, err)
		default: // the outcome is unknown
			return c.fault.Trip(fmt.Errorf("committing: %w", err))
		}
	}, asIs)
}

// current returns the number of the newest transaction visible to readers, or
// -1: a commit on a full disk must not be visible.
func (c *committer) current() int {
	btx, err := c.db.Begin(false)
	if err != nil {
		return -1
	}
	id := btx.ID()
	if btx.Rollback() != nil {
		return -1
	}
	return id
}

func (c *committer) rollback(btx *bbolt.Tx) error {
	if err := c.guard(btx, (*bbolt.Tx).Rollback); err != nil {
		return c.fault.Trip(fmt.Errorf("rolling back: %w", err))
	}
	return nil
}

// guard runs the end of a transaction. bbolt panics if its pages are damaged,
// and then keeps its locks.
func (c *committer) guard(btx *bbolt.Tx, end func(*bbolt.Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.stuck = true
			err = fmt.Errorf("%w: %T", errCommitPanic, p)
		}
	}()
	return end(btx)
}

// call runs fn and turns a panic into an error. The value of the panic may
// contain a secret, so the error has only its type. Where fn stopped is
// unknown, so it counts as having written.
func call(fn func(storage.Tx) error, t *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			t.writes++
			err = fmt.Errorf("%w: %T", errPanicked, p)
		}
	}()
	return fn(t)
}
