package bolt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"hush/storage"
	"hush/storage/disk"
)

// Store is a storage.Store in one bbolt database. Concurrent updates share a
// commit; each waits until it is durable.
type Store struct {
	db      *bbolt.DB
	fault   *disk.Fault
	space   *disk.Space // nil if nothing watches the disk
	writer  *committer
	updates sync.Pool // of *update

	closing sync.Once
	closed  atomic.Bool
	failed  error // of closing
}

var _ storage.Store = (*Store)(nil)

// newStore returns the store of an open database; space is nil if nothing watches the disk.
func newStore(db *bbolt.DB, f *disk.Fault, space *disk.Space) *Store {
	s := &Store{db: db, fault: f, space: space, writer: newCommitter(db, f, space)}
	s.updates.New = func() any { return &update{done: make(chan struct{}, 1)} }
	go s.writer.run()
	return s
}

// View implements storage.Store.
func (s *Store) View(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.admit(ctx); err != nil {
		return err
	}
	return s.view(func(btx *bbolt.Tx) error {
		t := Tx{bolt: btx}
		defer func() { t.bolt = nil }()
		return fn(&t)
	})
}

// view runs fn in a read-only transaction.
func (s *Store) view(fn func(*bbolt.Tx) error) error {
	btx, err := s.db.Begin(false)
	if errors.Is(err, bbolterrors.ErrDatabaseNotOpen) {
		return storage.ErrClosed
	}
	if err != nil {
		return fmt.Errorf("beginning view: %w", err)
	}
	// Rolling back a read-only transaction cannot fail.
	defer func() { _ = btx.Rollback() }()
	return fn(btx)
}

// Update implements storage.Store.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.update(ctx, fn, false)
}

// UpdateReserved implements storage.Store. It may use the space of the ballast.
func (s *Store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.update(ctx, fn, true)
}

func (s *Store) update(ctx context.Context, fn func(storage.Tx) error, reserved bool) error {
	if err := s.admit(ctx); err != nil {
		return err
	}
	u, ok := s.updates.Get().(*update)
	if !ok {
		return storage.ErrClosed // not reached: the pool holds nothing else
	}
	u.ctx, u.fn, u.reserved = ctx, fn, reserved
	if !s.writer.queue.push(u) {
		return storage.ErrClosed
	}
	<-u.done
	err := u.err
	*u = update{done: u.done}
	s.updates.Put(u)
	return err
}

// Waiting implements storage.Store.
func (s *Store) Waiting() int { return s.writer.queue.length() }

// Close implements storage.Store. It first finishes accepted updates. Further
// calls return the result of the first.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.closed.Store(true)
		s.failed = s.writer.close()
	})
	return s.failed
}

func (s *Store) admit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed.Load() {
		return storage.ErrClosed
	}
	return s.fault.Check()
}

// ID returns the random number that the database shares with its shares. A copy
// of the rows in another folder has another.
func (s *Store) ID() (id [16]byte, err error) {
	if err := s.admit(context.Background()); err != nil {
		return id, err
	}
	return ReadStoreID(s.db)
}

// Observe implements storage.Store.
func (s *Store) Observe(by storage.Observer) { s.writer.observed.By(by) }

// Clock implements storage.Store: a folder is one process's alone.
func (s *Store) Clock() storage.Clock { return nil }

// Notifier implements storage.Store: there are no others to tell.
func (s *Store) Notifier() storage.Notifier { return nil }

// asIs shows an observer the error itself.
func asIs(err error) error { return err }
