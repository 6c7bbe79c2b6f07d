package memory

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/tidwall/btree"

	"hush/storage"
)

// Store is a storage.Store in memory.
type Store struct {
	mu      sync.Mutex
	idle    sync.WaitGroup // running views
	closed  bool
	buckets buckets
	// snapshot is shared by all views since the last update.
	snapshot buckets
}

var _ storage.Store = (*Store)(nil)

type (
	bucket  = btree.Map[string, []byte]
	buckets map[string]*bucket
)

// New returns an empty store and empty shares.
func New() (*Store, *Shares) {
	return &Store{buckets: buckets{}}, &Shares{slots: map[uint64]*slot{}}
}

// View implements storage.Store.
func (s *Store) View(ctx context.Context, fn func(storage.Tx) error) error {
	snapshot, err := s.beginView(ctx)
	if err != nil {
		return err
	}
	defer s.idle.Done()
	t := tx{buckets: snapshot}
	defer t.end()
	return fn(&t)
}

// Update implements storage.Store.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.admit(ctx); err != nil {
		return err
	}
	s.snapshot = nil
	t := tx{buckets: s.buckets, writable: true}
	committed := false
	// Deferred, so that a panic of fn also leaves nothing behind.
	defer func() {
		if !committed {
			t.undoAll()
		}
		t.end()
	}()
	err := fn(&t)
	committed = err == nil
	return err
}

// UpdateReserved implements storage.Store. Memory has no reserve.
func (s *Store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// Waiting implements storage.Store: an update runs in the call.
func (s *Store) Waiting() int { return 0 }

// Observe implements storage.Store. Nothing is made durable, so nothing is reported.
func (s *Store) Observe(storage.Observer) {}

// Clock implements storage.Store: no other process uses it.
func (s *Store) Clock() storage.Clock { return nil }

// Notifier implements storage.Store: there are no others to tell. Notices are for tests.
func (s *Store) Notifier() storage.Notifier { return nil }

// Dump returns all keys and values, one after the other, for tests that search them.
func (s *Store) Dump() (content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.buckets)) {
		s.buckets[name].Scan(func(key string, value []byte) bool {
			content = append(append(content, key...), value...)
			return true
		})
	}
	return content
}

// Close implements storage.Store. Further calls do nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.idle.Wait()
	return nil
}

func (s *Store) beginView(ctx context.Context) (buckets, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	s.idle.Add(1)
	if s.snapshot == nil {
		s.snapshot = make(buckets, len(s.buckets))
		for name, b := range s.buckets {
			// Copying is lazy: both sides copy the nodes they change.
			s.snapshot[name] = b.Copy()
		}
	}
	return s.snapshot, nil
}

func (s *Store) admit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed {
		return storage.ErrClosed
	}
	return nil
}
