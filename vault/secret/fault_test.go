package secret_test

import (
	"context"
	"sync/atomic"

	"hush/storage"
)

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

func (t verifierTx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	return storage.GetEach(t, bucket, keys)
}

func (t verifierTx) Same(bucket string, key, value []byte) (bool, error) {
	return storage.SameByGet(t, bucket, key, value)
}

func (t verifierTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(t, bucket, key, fn)
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

func (s *countingStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
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

func (t *countingTx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	return storage.GetEach(t, bucket, keys)
}

func (t *countingTx) Same(bucket string, key, value []byte) (bool, error) {
	return storage.SameByGet(t, bucket, key, value)
}

func (t *countingTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(t, bucket, key, fn)
}

func (t *countingTx) Delete(bucket string, key []byte) error {
	if bucket == t.bucket {
		t.deleted++
	}
	return t.Tx.Delete(bucket, key)
}

// heldStore calls hold before each update, unless it is nil.
type heldStore struct {
	storage.Store
	hold func()
}

func (s *heldStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if s.hold != nil {
		s.hold()
	}
	return s.Store.Update(ctx, fn)
}

func (s *heldStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
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
