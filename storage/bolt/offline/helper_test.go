package offline_test

import (
	"fmt"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
)

// open opens the folder at dir and closes it when t is over, if it is still
// open then.
func open(t testing.TB, dir string, opts bolt.Options) (*bolt.Store, *sharefile.File, *bolt.Folder) {
	t.Helper()
	folder := mustOpenFolder(t, dir)
	store, shares, err := folder.Open(opts)
	if err != nil {
		t.Fatalf("Open(%s): got %v, want nil", dir, err)
	}
	return store, shares, folder
}

func mustOpenFolder(t testing.TB, dir string) *bolt.Folder {
	t.Helper()
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatalf("OpenFolder(%s): got %v, want nil", dir, err)
	}
	t.Cleanup(func() { mustClose(t, folder) })
	return folder
}

func mustClose(t testing.TB, folder *bolt.Folder) {
	t.Helper()
	if err := folder.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
}

func put(t *testing.T, store storage.Store, key, value string) {
	t.Helper()
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		return tx.Put("bucket", []byte(key), []byte(value))
	})
	if err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
}

func wantValue(t *testing.T, store storage.Store, key, want string) {
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

func putShare(t *testing.T, shares storage.Shares, share [storage.ShareSize]byte) storage.Slot {
	t.Helper()
	slot, err := shares.Put(t.Context(), share)
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	return slot
}

// rowsOf returns the rows of a snapshot as bucket/key=value.
func rowsOf(t *testing.T, store *bolt.Store, meanwhile func()) (rows []string) {
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
