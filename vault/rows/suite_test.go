package rows_test

import (
	"context"
	"testing"

	"hush/storage"
	"hush/storage/memory"
	"hush/storage/storagetest"
	"hush/vault/rows"
)

// rowsStore is a store whose transactions are those of the vault.
type rowsStore struct{ storage.Store }

func (s rowsStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.View(ctx, func(tx storage.Tx) error { return fn(rows.NewTx(tx, nil)) })
}

func (s rowsStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(rows.NewTx(tx, nil)) })
}

func (s rowsStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.UpdateReserved(ctx, func(tx storage.Tx) error { return fn(rows.NewTx(tx, nil)) })
}

// The transactions of the vault keep all that those of the store below promise.
func TestTxIsThatOfTheStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(*testing.T) (storage.Store, storage.Shares) {
		store, shares := memory.New()
		return rowsStore{store}, shares
	})
}
