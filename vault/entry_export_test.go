package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"hush/storage"
)

// EntryMost is how many entries of a millisecond have a number.
const EntryMost = entryMost

// DropEntryNumbers gives n rows of the only list the form that older releases
// wrote.
func DropEntryNumbers(t testing.TB, store storage.Store, n int) {
	t.Helper()
	renameEntries(t, store, n, func(key []byte) []byte {
		return append(bytes.Clone(key[:entryHead]), key[entryHead+entryNumber:]...)
	})
}

// SetEntryNumber gives the newest row of the only list a number.
func SetEntryNumber(t testing.TB, store storage.Store, number uint32) {
	t.Helper()
	renameEntries(t, store, 1, func(key []byte) []byte {
		key = bytes.Clone(key)
		binary.BigEndian.PutUint32(key[entryHead:], ^number)
		return key
	})
}

// renameEntries gives the first n rows that have a number another key.
func renameEntries(t testing.TB, store storage.Store, n int, rename func([]byte) []byte) {
	t.Helper()
	err := store.Update(context.Background(), func(tx storage.Tx) error {
		rows := map[string][]byte{}
		err := tx.Range(bucketEntry, nil, nil, func(key, value []byte) error {
			if len(key) == entryHead+entryNumber+22 && len(rows) < n {
				rows[string(key)] = bytes.Clone(value)
			}
			return nil
		})
		for key, value := range rows {
			if err == nil {
				err = tx.Delete(bucketEntry, []byte(key))
			}
			if err == nil {
				err = tx.Put(bucketEntry, rename([]byte(key)), value)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("renaming entries: got %v, want no error", err)
	}
}
