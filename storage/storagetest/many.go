package storagetest

import (
	"fmt"
	"testing"

	"hush/storage"
)

// manyRows is more than fit into one batch of any backend.
const manyRows = 2500

func manyKey(i int) string { return fmt.Sprintf("%06d", i) }

// manyStored returns what testGetMany stores for a key: every third is missing.
func manyStored(i int) (value string, ok bool) {
	if i%3 == 0 {
		return "", false
	}
	return "value " + manyKey(i), true
}

// testGetMany reads many rows, some of them missing, twice named, or changed by
// the transaction itself.
func testGetMany(t *testing.T, s storage.Store) {
	mustUpdate(t, s, func(tx storage.Tx) error {
		for i := range manyRows {
			if value, ok := manyStored(i); ok {
				if err := putAll(tx, manyKey(i), value); err != nil {
					return err
				}
			}
		}
		return nil
	})
	mustView(t, s, func(tx storage.Tx) error { return checkMany(tx, manyStored) })
	mustUpdate(t, s, func(tx storage.Tx) error {
		if err := putAll(tx, manyKey(0), "", manyKey(1), "new"); err != nil {
			return err
		}
		if err := tx.Delete(bucket, []byte(manyKey(2))); err != nil {
			return err
		}
		return checkMany(tx, func(i int) (string, bool) {
			switch i {
			case 0:
				return "", true
			case 1:
				return "new", true
			case 2:
				return "", false
			}
			return manyStored(i)
		})
	})
	mustView(t, s, func(tx storage.Tx) error {
		none, err := tx.GetMany(bucket, nil)
		if len(none) != 0 {
			t.Errorf("GetMany(no keys): got %q, want none", none)
		}
		return err
	})
}

// checkMany reads all keys at once, two of them twice, and returns an error
// unless want returns the values.
func checkMany(tx storage.Tx, want func(i int) (value string, ok bool)) error {
	var keys [][]byte
	for i := range manyRows {
		keys = append(keys, []byte(manyKey(i)))
	}
	keys = append(keys, keys[1], keys[0])
	values, err := tx.GetMany(bucket, keys)
	if err != nil || len(values) != len(keys) {
		return fmt.Errorf("GetMany(%d keys): got %d values, %w", len(keys), len(values), err)
	}
	for n, value := range values {
		i := n
		if n >= manyRows {
			i = manyRows + 1 - n // the last two are 1 and 0
		}
		if text, ok := want(i); (value != nil) != ok || string(value) != text {
			return fmt.Errorf("GetMany: got %q for key %d, want %q, %v", value, i, text, ok)
		}
	}
	return nil
}
