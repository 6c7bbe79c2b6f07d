package storage

import "errors"

// Changer is implemented by transactions that keep a row which many updates of one
// commit change, and write it once. Change is how to use it.
type Changer interface {
	// Change stores what fn returns as the value of key. fn gets the present value,
	// nil for a missing row, which it may overwrite and return; it is valid only
	// during the call. An error from fn is returned, and must fail the transaction.
	// fn may read in the transaction, and must not write in it.
	Change(bucket, key string, fn func(value []byte) ([]byte, error)) error
}

// Change stores what fn returns as the value of key. fn gets the present value, nil
// for a missing row, which it may overwrite and return; it is valid only during the
// call. An error from fn is returned, and must fail the transaction. fn may read in
// the transaction, and must not write in it.
func Change(tx Tx, bucket, key string, fn func(value []byte) ([]byte, error)) error {
	if c, ok := tx.(Changer); ok {
		return c.Change(bucket, key, fn)
	}
	stored, err := tx.Get(bucket, []byte(key))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if err == nil && stored == nil {
		stored = []byte{} // of a row with an empty value
	}
	value, err := fn(stored)
	if err != nil {
		return err
	}
	return tx.Put(bucket, []byte(key), value)
}
