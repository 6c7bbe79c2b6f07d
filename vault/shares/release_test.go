package shares_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// releaseLog records the order in which rows of the shred list are durably
// struck off and slots released.
type releaseLog struct {
	mu       sync.Mutex
	struck   map[uint64]bool // rows whose deletion was reported as durable
	released []storage.Slot
	early    []storage.Slot // released before that
	failing  error          // what striking off ends with, after it was applied
	failed   chan struct{}  // gets one for each time it did
}

func newReleaseLog() *releaseLog {
	return &releaseLog{struck: map[uint64]bool{}, failed: make(chan struct{}, 100)}
}

type watchedStore struct {
	storage.Store
	seen *releaseLog
}

func (s watchedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	var struck []uint64
	err := s.Store.Update(ctx, func(tx storage.Tx) error {
		watching := &strikeTx{Tx: tx}
		err := fn(watching)
		struck = watching.struck
		return err
	})
	if err != nil || len(struck) == 0 {
		return err
	}
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	if s.seen.failing != nil {
		s.seen.failed <- struct{}{}
		return s.seen.failing
	}
	for _, slot := range struck {
		s.seen.struck[slot] = true
	}
	return nil
}

func (s watchedStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type strikeTx struct {
	storage.Tx
	struck []uint64
}

func (t *strikeTx) Delete(bucket string, key []byte) error {
	if bucket == shares.BucketShred {
		t.struck = append(t.struck, binary.BigEndian.Uint64(key))
	}
	return t.Tx.Delete(bucket, key)
}

type watchedShares struct {
	storage.Shares
	seen *releaseLog
}

func (s watchedShares) Recycler() storage.Recycler {
	return watchedRecycler{s.Shares.Recycler(), s.seen}
}

type watchedRecycler struct {
	storage.Recycler
	seen *releaseLog
}

func (s watchedRecycler) Release(slots ...storage.Slot) {
	s.seen.mu.Lock()
	for _, slot := range slots {
		s.seen.released = append(s.seen.released, slot)
		if !s.seen.struck[slot.Number] {
			s.seen.early = append(s.seen.early, slot)
		}
	}
	s.seen.mu.Unlock()
	s.Recycler.Release(slots...)
}

func (w *releaseLog) options() vaulttest.Options {
	return vaulttest.Options{
		Manual: true, Folder: true, // slots are not reused elsewhere
		WrapStore: func(s storage.Store) storage.Store { return watchedStore{s, w} },
		WrapShares: func(s storage.Shares) storage.Shares {
			return watchedShares{s, w}
		},
	}
}

// wantReleased fails the test unless exactly these slots were given back, and
// none of them early.
func (w *releaseLog) wantReleased(t *testing.T, slots ...storage.Slot) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.released, slots) {
		t.Errorf("Release: got %v, want %v", w.released, slots)
	}
	if len(w.early) > 0 {
		t.Errorf("Release: got %v before the list was durably without them, want none", w.early)
	}
}

// The attack: a slot is handed to the next secret while the shred list still
// names it, and the power fails. The next start destroys listed slots, and only
// the generation protects the new share. So a slot must not be released before
// its row is durably deleted.
func TestSlotIsReleasedAfterItsStrikeOff(t *testing.T) {
	t.Parallel()
	seen := newReleaseLog()
	k := vaulttest.New(t, seen.options())
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	slot := vaulttest.SlotOf(t, k, kept.Secret.Key)
	k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
	vaulttest.AwaitShred(t, k)
	k.Close(t) // the striker has ended
	seen.wantReleased(t, slot)
}

// If deleting the row failed, or its outcome is unknown, the slot is not
// released: the next start destroys it again and deletes the row.
func TestSlotIsKeptWhenItsStrikeOffFails(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{storage.ErrUnknownOutcome, storage.ErrFull, errors.New("no")} {
		seen := newReleaseLog()
		k := vaulttest.New(t, seen.options())
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		seen.failing = failure
		k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
		<-seen.failed
		k.Close(t)
		seen.wantReleased(t)
	}
}

// The same holds at the start, for what the last run left on the list.
func TestStartReleasesAfterItsStrikeOff(t *testing.T) {
	t.Parallel()
	seen := newReleaseLog()
	k := vaulttest.New(t, seen.options())
	vaulttest.Put(t, k.Store, shares.BucketShred, vaulttest.Number(3), vaulttest.Number(1))
	k.Reopen(t)
	seen.wantReleased(t, storage.Slot{Number: 3, Generation: 1})
}
