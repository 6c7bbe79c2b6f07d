// Package bolttest opens data folders for the tests of package bolt and of what works on
// a stopped folder, and puts and reads what they need.
package bolttest

import (
	"fmt"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
)

// Open opens the folder at dir and closes it when t is over, if it is still open then.
func Open(t testing.TB, dir string, opts bolt.Options) (*bolt.Store, *sharefile.File, *bolt.Folder) {
	t.Helper()
	folder := MustOpenFolder(t, dir)
	store, shares, err := folder.Open(opts)
	if err != nil {
		t.Fatalf("Open(%s): got %v, want nil", dir, err)
	}
	return store, shares, folder
}

// MustOpenFolder is bolt.OpenFolder, and closes the folder when t is over.
func MustOpenFolder(t testing.TB, dir string) *bolt.Folder {
	t.Helper()
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatalf("OpenFolder(%s): got %v, want nil", dir, err)
	}
	t.Cleanup(func() { MustClose(t, folder) })
	return folder
}

// MustClose closes a folder; one that is closed stays so.
func MustClose(t testing.TB, folder *bolt.Folder) {
	t.Helper()
	if err := folder.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
}

// Put puts a row into the bucket that WantValue reads.
func Put(t testing.TB, store storage.Store, key, value string) {
	t.Helper()
	PutRow(t, store, "bucket", key, value)
}

// PutRow puts a row.
func PutRow(t testing.TB, store storage.Store, bucket, key, value string) {
	t.Helper()
	err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put(bucket, []byte(key), []byte(value)) })
	if err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
}

// WantValue fails the test unless a row of Put has a value.
func WantValue(t testing.TB, store storage.Store, key, want string) {
	t.Helper()
	err := store.View(t.Context(), func(tx storage.Tx) error {
		got, err := tx.Get("bucket", []byte(key))
		if string(got) != want {
			t.Errorf("Get(%s): got %q, want %q", key, got, want)
		}
		return err
	})
	if err != nil {
		t.Errorf("View: got %v, want nil", err)
	}
}

// PutShare puts a share.
func PutShare(t testing.TB, shares storage.Shares, share [storage.ShareSize]byte) storage.Slot {
	t.Helper()
	slot, err := shares.Put(t.Context(), share)
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	return slot
}

// RowsOf returns the rows of a snapshot as bucket/key=value. It calls meanwhile when the
// snapshot has begun.
func RowsOf(t testing.TB, store *bolt.Store, meanwhile func()) (rows []string) {
	t.Helper()
	err := store.Snapshot(t.Context(), func(s *bolt.Snapshot) error {
		meanwhile()
		return s.Rows(t.Context(), func(bucket string, key, value []byte) error {
			rows = append(rows, fmt.Sprintf("%s/%s=%s", bucket, key, value))
			return nil
		})
	})
	if err != nil {
		t.Fatalf("Snapshot: got %v, want nil", err)
	}
	return rows
}
