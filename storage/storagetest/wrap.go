package storagetest

import (
	"bytes"
	"context"
	"errors"

	"hush/storage"
)

// A transaction of a test that watches or changes what Get and Put do must do the same
// for the methods that read and write as they do: embedding the transaction below passes
// those on, past its own Get and Put. GetEach, SameByGet and ChangeByPut are these
// methods in terms of Get and Put.

// GetEach is storage.Tx.GetMany by Get.
func GetEach(tx storage.Tx, bucket string, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := tx.Get(bucket, key)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// SameByGet is storage.Tx.Same by Get.
func SameByGet(tx storage.Tx, bucket string, key, value []byte) (bool, error) {
	stored, err := tx.Get(bucket, key)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && bytes.Equal(stored, value), err
}

// ChangeByPut is storage.Tx.Change by Get and Put.
func ChangeByPut(tx storage.Tx, bucket, key string, fn func(value []byte) ([]byte, error)) error {
	stored, err := tx.Get(bucket, []byte(key))
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	value, err := fn(stored)
	if err != nil {
		return err
	}
	return tx.Put(bucket, []byte(key), value)
}

// PutEach is storage.Shares.PutMany by Put.
func PutEach(ctx context.Context, s storage.Shares, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	slots := make([]storage.Slot, len(shares))
	for i, share := range shares {
		var err error
		if slots[i], err = s.Put(ctx, share); err != nil {
			return slots, err
		}
	}
	return slots, nil
}
