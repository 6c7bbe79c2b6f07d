package storagetest

import (
	"bytes"
	"context"
	"errors"

	"hush/storage"
)

// A wrapper of a test that watches or changes what one method does must do so for the
// methods that do the same: those it embeds go past it. GetEach, SameByGet, ChangeByPut
// and PutEach are such methods in terms of Get and Put.

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

// WithoutClock returns a store whose time is that of its process, so that a test sets it.
func WithoutClock(s storage.Store) storage.Store { return timeless{s} }

type timeless struct{ storage.Store }

func (timeless) Clock() storage.Clock { return nil }
