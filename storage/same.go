package storage

import (
	"bytes"
	"errors"
)

// Comparer is implemented by transactions that compare a value without a copy of
// it. Same is how to use it.
type Comparer interface {
	// Same reports whether key has that value. A missing key has none.
	Same(bucket string, key, value []byte) (bool, error)
}

// Same reports whether key has that value. A missing key has none.
func Same(tx Tx, bucket string, key, value []byte) (bool, error) {
	if c, ok := tx.(Comparer); ok {
		return c.Same(bucket, key, value)
	}
	stored, err := tx.Get(bucket, key)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && bytes.Equal(stored, value), err
}
