package storage

import (
	"bytes"
	"context"
	"errors"
)

// GetEach, SameByGet, ChangeByPut and PutEach do what one method does by others: for a
// backend that has no quicker way, and for a wrapper that watches or changes what those
// others do, past which the methods go that it embeds.

// GetEach is Tx.GetMany by Get.
func GetEach(tx Tx, bucket string, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := tx.Get(bucket, key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// SameByGet is Tx.Same by Get.
func SameByGet(tx Tx, bucket string, key, value []byte) (bool, error) {
	stored, err := tx.Get(bucket, key)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && bytes.Equal(stored, value), err
}

// ChangeByPut is Tx.Change by Get and Put.
func ChangeByPut(tx Tx, bucket, key string, fn func(value []byte) ([]byte, error)) error {
	stored, err := tx.Get(bucket, []byte(key))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	value, err := fn(stored)
	if err != nil {
		return err
	}
	return tx.Put(bucket, []byte(key), value)
}

// PutEach is Shares.PutMany by Put.
func PutEach(ctx context.Context, s Shares, shares [][ShareSize]byte) ([]Slot, error) {
	slots := make([]Slot, len(shares))
	for i, share := range shares {
		var err error
		if slots[i], err = s.Put(ctx, share); err != nil {
			return slots, err
		}
	}
	return slots, nil
}
