package vault_test

import (
	"context"
	"errors"
	"sync/atomic"

	"hush/storage"
)

// faultyShares fails Destroy as long as it is told to.
type faultyShares struct {
	storage.Shares
	storage.Recycler
	destroy atomic.Pointer[error]
}

func newFaultyShares(inner storage.Shares) *faultyShares {
	recycler, _ := inner.(storage.Recycler)
	return &faultyShares{Shares: inner, Recycler: recycler}
}

func (s *faultyShares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := s.destroy.Load(); err != nil {
		return *err
	}
	return s.Shares.Destroy(ctx, slots...)
}

// faultyStore fails Update as long as it is told to: before it is applied, or
// after, as when a sync's answer is lost.
type faultyStore struct {
	storage.Store
	before, after atomic.Pointer[error]
}

func (s *faultyStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.before.Load(); err != nil {
		// What fn does is undone.
		return s.Store.Update(ctx, func(tx storage.Tx) error { return errors.Join(*err, fn(tx)) })
	}
	err := s.Store.Update(ctx, fn)
	if failed := s.after.Load(); failed != nil && err == nil {
		return *failed
	}
	return err
}

// twiceStore runs the function of each update twice and keeps only the second
// run, as a store does whose batch was rolled back.
type twiceStore struct{ storage.Store }

var errFirstRun = errors.New("first run")

func (s twiceStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	err := s.Store.Update(ctx, func(tx storage.Tx) error {
		if err := tx.Put("twice", []byte("rolled back"), nil); err != nil {
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

// verifierStore shows another root key's verifier, so that a vault opens with
// the wrong keys.
type verifierStore struct {
	storage.Store
	bucket, key string
	verifier    []byte
}

func (s verifierStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.View(ctx, func(tx storage.Tx) error { return fn(verifierTx{tx, s}) })
}

type verifierTx struct {
	storage.Tx
	store verifierStore
}

func (t verifierTx) Get(bucket string, key []byte) ([]byte, error) {
	if bucket == t.store.bucket && string(key) == t.store.key {
		return t.store.verifier, nil
	}
	return t.Tx.Get(bucket, key)
}

// countingStore counts how often an update found a secret, which is when a
// reveal opens one, and how often one was taken away for good.
type countingStore struct {
	storage.Store
	bucket        string
	opened, taken atomic.Int64
}

func (s *countingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	var counter countingTx
	err := s.Store.Update(ctx, func(tx storage.Tx) error {
		counter = countingTx{Tx: tx, bucket: s.bucket}
		return fn(&counter)
	})
	s.opened.Add(counter.found)
	if err == nil {
		s.taken.Add(counter.deleted)
	}
	return err
}

type countingTx struct {
	storage.Tx
	bucket         string
	found, deleted int64
}

func (t *countingTx) Get(bucket string, key []byte) ([]byte, error) {
	value, err := t.Tx.Get(bucket, key)
	if bucket == t.bucket && err == nil {
		t.found++
	}
	return value, err
}

func (t *countingTx) Delete(bucket string, key []byte) error {
	if bucket == t.bucket {
		t.deleted++
	}
	return t.Tx.Delete(bucket, key)
}

// betweenStore runs then once, after the first view that walks bucket has
// ended and before its caller goes on.
type betweenStore struct {
	storage.Store
	bucket string
	then   func()
}

func (s *betweenStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	tx := walkTx{bucket: s.bucket}
	err := s.Store.View(ctx, func(inner storage.Tx) error {
		tx.Tx = inner
		return fn(&tx)
	})
	if then := s.then; then != nil && tx.walked {
		s.then = nil
		then()
	}
	return err
}

type walkTx struct {
	storage.Tx
	bucket string
	walked bool
}

func (t *walkTx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	t.walked = t.walked || bucket == t.bucket
	return t.Tx.Range(bucket, from, to, fn)
}
