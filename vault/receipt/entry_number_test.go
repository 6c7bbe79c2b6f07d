package receipt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"hush/storage"
	"hush/vault/receipt"
)

// dropEntryNumbers gives n rows of the only list the form that older releases
// wrote.
func dropEntryNumbers(t testing.TB, store storage.Store, n int) {
	t.Helper()
	renameEntries(t, store, n, func(key []byte) []byte {
		return append(bytes.Clone(key[:receipt.EntryHead]), key[receipt.EntryHead+receipt.EntryNumber:]...)
	})
}

// setEntryNumber gives the newest row of the only list a number.
func setEntryNumber(t testing.TB, store storage.Store, number uint32) {
	t.Helper()
	renameEntries(t, store, 1, func(key []byte) []byte {
		key = bytes.Clone(key)
		binary.BigEndian.PutUint32(key[receipt.EntryHead:], ^number)
		return key
	})
}

// renameEntries gives the first n rows that have a number another key.
func renameEntries(t testing.TB, store storage.Store, n int, rename func([]byte) []byte) {
	t.Helper()
	err := store.Update(context.Background(), func(tx storage.Tx) error {
		rows := map[string][]byte{}
		err := tx.Range(receipt.BucketEntry, nil, nil, func(key, value []byte) error {
			if len(key) == receipt.EntryHead+receipt.EntryNumber+22 && len(rows) < n {
				rows[string(key)] = bytes.Clone(value)
			}
			return nil
		})
		for key, value := range rows {
			if err == nil {
				err = tx.Delete(receipt.BucketEntry, []byte(key))
			}
			if err == nil {
				err = tx.Put(receipt.BucketEntry, rename([]byte(key)), value)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("renaming entries: got %v, want no error", err)
	}
}
