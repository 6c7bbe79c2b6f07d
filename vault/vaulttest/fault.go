package vaulttest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"hush/storage"
)

// Overwrites reports whether the kit's shares are overwritten in place.
func Overwrites(k *Kit) bool { return k.Shares.Overwrites() }

// FaultyShares fails Destroy with DestroyErr unless that is nil.
type FaultyShares struct {
	storage.Shares
	DestroyErr atomic.Pointer[error]
}

// Destroy returns DestroyErr, or else destroys the shares.
func (s *FaultyShares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := s.DestroyErr.Load(); err != nil {
		return *err
	}
	return s.Shares.Destroy(ctx, slots...)
}

// FaultyStore fails Update unless both errors are nil: with Before it applies
// nothing; with After the update is applied, as when the answer of a sync is
// lost.
type FaultyStore struct {
	storage.Store
	Before, After atomic.Pointer[error]
}

// Update updates the inner store, or fails as it is told to.
func (s *FaultyStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.Before.Load(); err != nil {
		// What fn does is undone.
		return s.Store.Update(ctx, func(tx storage.Tx) error { return errors.Join(*err, fn(tx)) })
	}
	err := s.Store.Update(ctx, fn)
	if failed := s.After.Load(); failed != nil && err == nil {
		return *failed
	}
	return err
}

// UpdateReserved is Update.
func (s *FaultyStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// TwiceStore runs the function of each update twice and keeps only the second
// run, as a store does whose batch was rolled back.
type TwiceStore struct{ storage.Store }

// rolledBack is a bucket that never holds anything.
const rolledBack = "twice"

// errFirstRun undoes the first run of a TwiceStore.
var errFirstRun = errors.New("first run")

// Update runs fn in two transactions, and undoes the first.
func (s TwiceStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	err := s.Store.Update(ctx, func(tx storage.Tx) error {
		if err := tx.Put(rolledBack, []byte("rolled back"), nil); err != nil {
			return err
		}
		_ = fn(tx) // its answer belongs to a run that never was
		return errFirstRun
	})
	if !errors.Is(err, errFirstRun) {
		return err
	}
	return s.Store.Update(ctx, fn)
}

// UpdateReserved is Update.
func (s TwiceStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// NewFaulty opens a Manual vault and returns the shares that it writes to, so
// that a test can fail their destruction.
func NewFaulty(t testing.TB, opts Options) (*Kit, *FaultyShares) {
	t.Helper()
	var shares FaultyShares
	opts.Manual = true
	opts.WrapShares = func(s storage.Shares) storage.Shares {
		shares.Shares = s
		return &shares
	}
	return New(t, opts), &shares
}
