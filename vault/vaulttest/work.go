package vaulttest

import (
	"context"
	"sync/atomic"

	"hush/storage"
)

// WorkStore counts the transactions of contexts from Counted, with their reads
// and writes. Work in the background has other contexts.
type WorkStore struct {
	storage.Store
	Views, Updates, Reads, Writes atomic.Int64
}

type workKey struct{}

// Counted returns a context whose transactions a WorkStore counts.
func Counted(ctx context.Context) context.Context { return context.WithValue(ctx, workKey{}, true) }

// View counts a view.
func (s *WorkStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	if ctx.Value(workKey{}) == nil {
		return s.Store.View(ctx, fn)
	}
	s.Views.Add(1)
	return s.Store.View(ctx, func(tx storage.Tx) error { return fn(workTx{tx, s}) })
}

// Update counts an update.
func (s *WorkStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if ctx.Value(workKey{}) == nil {
		return s.Store.Update(ctx, fn)
	}
	s.Updates.Add(1)
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(workTx{tx, s}) })
}

// UpdateReserved is Update.
func (s *WorkStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// workTx counts the reads and writes within a transaction.
type workTx struct {
	storage.Tx
	s *WorkStore
}

func (tx workTx) Get(bucket string, key []byte) ([]byte, error) {
	tx.s.Reads.Add(1)
	return tx.Tx.Get(bucket, key)
}

func (tx workTx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	return storage.GetEach(tx, bucket, keys)
}

func (tx workTx) Same(bucket string, key, value []byte) (bool, error) {
	return storage.SameByGet(tx, bucket, key, value)
}

func (tx workTx) Put(bucket string, key, value []byte) error {
	tx.s.Writes.Add(1)
	return tx.Tx.Put(bucket, key, value)
}

func (tx workTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(tx, bucket, key, fn)
}

func (tx workTx) Delete(bucket string, key []byte) error {
	tx.s.Writes.Add(1)
	return tx.Tx.Delete(bucket, key)
}

func (tx workTx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	tx.s.Reads.Add(1)
	return tx.Tx.Range(bucket, from, to, fn)
}
