package rows_test

import (
	"context"
	"testing"

	"hush/storage"
	"hush/storage/memory"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// A store with a log of ends changes and compares rows as cheaply as one without.
func TestEndsKeepChange(t *testing.T) {
	t.Parallel()
	inner, _ := memory.New()
	backend := &changingStore{Store: inner}
	store := rows.NewStore(backend, nil).WithEnds(&rows.EndLog{})
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		if err := rows.Count(tx, rows.Change{Counter: rows.CountCreated, By: 1}); err != nil {
			return err
		}
		_, err := storage.Same(tx, rows.BucketSystem, []byte(rows.SystemCounts), nil)
		return err
	})
	vaulttest.Want(t, "Update", err, nil)
	vaulttest.Want(t, "rows changed by the backend", backend.changed, 1)
	vaulttest.Want(t, "rows compared by the backend", backend.compared, 1)
}

// changingStore counts what its transactions change and compare.
type changingStore struct {
	storage.Store
	changed, compared int
}

func (s *changingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(changingTx{tx, s}) })
}

type changingTx struct {
	storage.Tx
	s *changingStore
}

func (tx changingTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	tx.s.changed++
	return storage.Change(tx.Tx, bucket, key, fn)
}

func (tx changingTx) Same(bucket string, key, value []byte) (bool, error) {
	tx.s.compared++
	return storage.Same(tx.Tx, bucket, key, value)
}
