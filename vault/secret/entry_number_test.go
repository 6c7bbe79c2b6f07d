package secret_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"hush/storage"
	"hush/vault/secret"
)

// dropEntryNumbers gives n rows of the only list the form that older releases
// wrote.
func dropEntryNumbers(t testing.TB, store storage.Store, n int) {
	t.Helper()
	renameEntries(t, store, n, func(key []byte) []byte {
		return append(bytes.Clone(key[:secret.EntryHead]), key[secret.EntryHead+secret.EntryNumber:]...)
	})
}

// setEntryNumber gives the newest row of the only list a number.
func setEntryNumber(t testing.TB, store storage.Store, number uint32) {
	t.Helper()
	renameEntries(t, store, 1, func(key []byte) []byte {
		key = bytes.Clone(key)
		binary.BigEndian.PutUint32(key[secret.EntryHead:], ^number)
		return key
	})
}

// renameEntries gives the first n rows that have a number another key.
func renameEntries(t testing.TB, store storage.Store, n int, rename func([]byte) []byte) {
	t.Helper()
	err := store.Update(context.Background(), func(tx storage.Tx) error {
		rows := map[string][]byte{}
		err := tx.Range(secret.BucketEntry, nil, nil, func(key, value []byte) error {
			if len(key) == secret.EntryHead+secret.EntryNumber+22 && len(rows) < n {
				rows[string(key)] = bytes.Clone(value)
			}
			return nil
		})
		for key, value := range rows {
			if err == nil {
				err = tx.Delete(secret.BucketEntry, []byte(key))
			}
			if err == nil {
				err = tx.Put(secret.BucketEntry, rename([]byte(key)), value)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("renaming entries: got %v, want no error", err)
	}
}
