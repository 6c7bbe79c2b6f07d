package storagetest_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/memory"
	"hush/storage/storagetest"
)

// TestRejectsWeakStore shows that the suite finds a store that lets
// transactions run on snapshots and applies their writes afterwards without
// looking whether what they read still holds: with it, two people would be
// shown the same one-time secret.
func TestRejectsWeakStore(t *testing.T) {
	checks := map[string]func(context.Context, storage.Store) error{
		"CheckTakers":    storagetest.CheckTakers,
		"CheckCounters":  storagetest.CheckCounters,
		"CheckWriteSkew": storagetest.CheckWriteSkew,
	}
	for name, check := range checks {
		store, _ := memory.New()
		if err := check(t.Context(), store); err != nil {
			t.Errorf("%s(sound store): got %v, want nil", name, err)
		}
		store, _ = memory.New()
		if err := check(t.Context(), weakStore{store}); err == nil {
			t.Errorf("%s(weak store): got nil, want an error", name)
		}
	}
}

// weakStore is a store whose updates are not isolated from each other.
type weakStore struct {
	storage.Store
}

func (w weakStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	var writes []func(storage.Tx) error
	err := w.View(ctx, func(tx storage.Tx) error {
		weak := &weakTx{Tx: tx}
		err := fn(weak)
		writes = weak.writes
		return err
	})
	if err != nil {
		return err
	}
	// The gap between reading and writing is there on a machine of any speed.
	time.Sleep(time.Millisecond)
	return w.Store.Update(ctx, func(tx storage.Tx) error {
		var errs []error
		for _, write := range writes {
			errs = append(errs, write(tx))
		}
		return errors.Join(errs...)
	})
}

func (w weakStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return w.Update(ctx, fn)
}

// weakTx reads from a snapshot and only notes what is written.
type weakTx struct {
	storage.Tx
	writes []func(storage.Tx) error
}

func (w *weakTx) Put(bucket string, key, value []byte) error {
	key, value = bytes.Clone(key), bytes.Clone(value)
	w.writes = append(w.writes, func(tx storage.Tx) error { return tx.Put(bucket, key, value) })
	return nil
}

func (w *weakTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(w, bucket, key, fn)
}

func (w *weakTx) Delete(bucket string, key []byte) error {
	key = bytes.Clone(key)
	w.writes = append(w.writes, func(tx storage.Tx) error { return tx.Delete(bucket, key) })
	return nil
}
