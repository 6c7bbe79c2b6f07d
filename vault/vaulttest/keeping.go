package vaulttest

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/storage/memory"
	"hush/vault"
	"hush/vault/outbox"
)

// KeepingStore is a store in memory that does not overwrite in place. Like a
// log of a database it keeps every committed write and every share. Several
// vaults may be open on it.
type KeepingStore struct {
	storage.Store
	// Shares belong to the store, and keep what they destroy.
	Shares *KeepingShares

	mu  sync.Mutex
	log []keptWrite
}

// keptWrite is a committed write; a nil value is a deletion.
type keptWrite struct {
	bucket string
	key    []byte
	value  []byte
}

// NewKeepingStore returns a store of a service that starts now with these keys.
func NewKeepingStore(t testing.TB, keys *seal.Keys, clock *Clock) *KeepingStore {
	t.Helper()
	s := NewEmptyKeepingStore(t)
	if err := s.Update(t.Context(), vault.Init(keys, clock.Now())); err != nil {
		t.Fatalf("Update(Init): got %v, want nil", err)
	}
	return s
}

// NewEmptyKeepingStore returns a store without anything.
func NewEmptyKeepingStore(t testing.TB) *KeepingStore {
	t.Helper()
	inner, _ := memory.New()
	return &KeepingStore{Store: inner, Shares: newKeepingShares()}
}

// Update updates the store, and keeps what was written.
func (s *KeepingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error {
		noted := keepingTx{Tx: tx}
		if err := fn(&noted); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, noted.writes...)
		return nil
	})
}

// UpdateReserved is Update.
func (s *KeepingStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type keepingTx struct {
	storage.Tx
	writes []keptWrite
}

func (t *keepingTx) Put(bucket string, key, value []byte) error {
	t.writes = append(t.writes, keptWrite{bucket, append([]byte{}, key...), append([]byte{}, value...)})
	return t.Tx.Put(bucket, key, value)
}

func (t *keepingTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(t, bucket, key, fn)
}

func (t *keepingTx) Delete(bucket string, key []byte) error {
	t.writes = append(t.writes, keptWrite{bucket: bucket, key: append([]byte{}, key...)})
	return t.Tx.Delete(bucket, key)
}

// Moment returns the present end of the log, for Theft.
func (s *KeepingStore) Moment() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log)
}

// Theft returns a copy of the store as it was at a moment, with all shares that
// ever were. Of the buckets in without it holds only what is stored now, as
// when older copies of them were left out or have run out.
func (s *KeepingStore) Theft(t testing.TB, moment int, without ...string) *KeepingStore {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	inner, _ := memory.New()
	stolen := &KeepingStore{Store: inner, Shares: s.Shares.stolen()}
	absent := map[string]bool{}
	for _, bucket := range without {
		absent[bucket] = true
	}
	err := stolen.Update(t.Context(), func(tx storage.Tx) error {
		for i, w := range s.log {
			if i >= moment && !absent[w.bucket] {
				continue
			}
			if err := w.apply(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Update(copy): got %v, want nil", err)
	}
	return stolen
}

func (w keptWrite) apply(tx storage.Tx) error {
	if w.value == nil {
		return tx.Delete(w.bucket, w.key)
	}
	return tx.Put(w.bucket, w.key, w.value)
}

// Open opens a Manual vault on the store, and closes it when the test ends. The
// kit has no folder and cannot be reopened. Send may be nil.
func (s *KeepingStore) Open(t testing.TB, root seal.RootKey, clock *Clock, send func(context.Context, outbox.Mail) error) *Kit {
	t.Helper()
	k := &Kit{Store: s, Shares: s.Shares, Clock: clock, RootKey: root, Keys: seal.NewKeys(root)}
	v, err := vault.Open(t.Context(), vault.Options{
		Store: s, Shares: s.Shares, Keys: k.Keys, Now: clock.Now, Log: slog.New(slog.DiscardHandler),
		Passwords: CheapPasswords(), Passphrases: CheapPassphrases(), Send: send, Manual: true,
	})
	if err != nil {
		t.Fatalf("vault.Open(keeping store): got %v, want nil", err)
	}
	k.Vault = v
	t.Cleanup(v.Close)
	return k
}

// KeepingShares are shares that are never overwritten. Destroyed ones are
// refused, but kept.
type KeepingShares struct {
	mu   sync.Mutex
	ever map[storage.Slot][storage.ShareSize]byte
	gone map[storage.Slot]bool
}

func newKeepingShares() *KeepingShares {
	return &KeepingShares{ever: map[storage.Slot][storage.ShareSize]byte{}, gone: map[storage.Slot]bool{}}
}

// Overwrites returns false.
func (s *KeepingShares) Overwrites() bool { return false }

// BarOlder does nothing.
func (s *KeepingShares) BarOlder(context.Context) error { return nil }

// Recycler returns nil: a slot is used once.
func (s *KeepingShares) Recycler() storage.Recycler { return nil }

// Observe does nothing.
func (s *KeepingShares) Observe(storage.Observer) {}

// PutMany stores each share as Put does.
func (s *KeepingShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, s, shares)
}

// Put stores a share in a slot of its own.
func (s *KeepingShares) Put(_ context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := storage.Slot{Number: uint64(len(s.ever)) + 1, Generation: 1}
	s.ever[slot] = share
	return slot, nil
}

// Get returns a share that is not destroyed.
func (s *KeepingShares) Get(_ context.Context, slot storage.Slot) ([storage.ShareSize]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	share, ok := s.ever[slot]
	if !ok || s.gone[slot] {
		return [storage.ShareSize]byte{}, storage.ErrShareGone
	}
	return share, nil
}

// Destroy refuses the slots from now on, and keeps their shares.
func (s *KeepingShares) Destroy(_ context.Context, slots ...storage.Slot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range slots {
		s.gone[slot] = true
	}
	return nil
}

// stolen returns the shares as they are kept, with none destroyed.
func (s *KeepingShares) stolen() *KeepingShares {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &KeepingShares{ever: maps.Clone(s.ever), gone: map[storage.Slot]bool{}}
}
