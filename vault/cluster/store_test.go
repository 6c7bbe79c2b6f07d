package cluster_test

import (
	"context"
	"testing"

	"hush/storage"
	"hush/storage/memory"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// A store with a log of ends changes and compares rows as cheaply as one without.
func TestEndsKeepChange(t *testing.T) {
	t.Parallel()
	inner, _ := memory.New()
	backend := &changingStore{Store: inner}
	store := cluster.NewStore(backend, nil).WithEnds(noEnds{})
	err := store.Update(t.Context(), func(tx *rows.Tx) error {
		if err := counter.Add(tx, counter.Change{Counter: counter.Created, By: 1}); err != nil {
			return err
		}
		_, err := tx.Same(rows.BucketSystem, []byte(counter.SystemCounts), nil)
		return err
	})
	vaulttest.Want(t, "Update", err, nil)
	vaulttest.Want(t, "rows changed by the backend", backend.changed, 1)
	vaulttest.Want(t, "rows compared by the backend", backend.compared, 1)
	vaulttest.Want(t, "rows read from the backend", backend.read, 0)
}

// noEnds is a log of ends in which none is logged.
type noEnds struct{}

func (noEnds) Pend(_ *rows.Tx, e rows.End) (rows.End, bool, error) { return e, false, nil }

func (noEnds) Follow([]rows.End) error { return nil }

// changingStore counts what its transactions change, compare and read.
type changingStore struct {
	storage.Store
	changed, compared, read int
}

func (s *changingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(changingTx{tx, s}) })
}

func (s *changingStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type changingTx struct {
	storage.Tx
	s *changingStore
}

func (tx changingTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	tx.s.changed++
	return tx.Tx.Change(bucket, key, fn)
}

func (tx changingTx) Get(bucket string, key []byte) ([]byte, error) {
	tx.s.read++
	return tx.Tx.Get(bucket, key)
}

func (tx changingTx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	tx.s.read += len(keys)
	return tx.Tx.GetMany(bucket, keys)
}

func (tx changingTx) Same(bucket string, key, value []byte) (bool, error) {
	tx.s.compared++
	return tx.Tx.Same(bucket, key, value)
}
