package bolt_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/bolt"
)

// TestFullDisk fills a small file system for real. It needs the right to mount
// one.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=6m,mode=700"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Errorf("Unmount: got %v, want nil", err)
		}
	})
	var fault error
	store, shares, folder := open(t, filepath.Join(disk, "data"), bolt.Options{Fault: func(err error) { fault = err }})
	if len(folder.Warnings()) != 1 {
		t.Errorf("Warnings(tmpfs): got %q, want one", folder.Warnings())
	}
	slot := putShare(t, shares, [storage.ShareSize]byte{1})
	filled := fill(t, store)
	if filled < 10 {
		t.Errorf("updates before the disk was full: got %d, want some", filled)
	}
	// What needs no new room still works: a share can be destroyed.
	if err := shares.Destroy(t.Context(), slot); err != nil {
		t.Errorf("Destroy(full disk): got %v, want nil", err)
	}
	for i := range filled {
		wantLength(t, store, i)
	}
	if err := store.View(t.Context(), func(storage.Tx) error { return nil }); err != nil || fault != nil {
		t.Errorf("after a full disk: got %v and fault %v, want neither", err, fault)
	}
}

// fill puts large values until one finds no room, and returns how many did.
func fill(t *testing.T, store storage.Store) int {
	t.Helper()
	for i := range 1000 {
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			return tx.Put("bucket", fmt.Append(nil, i), make([]byte, 20_000))
		})
		if errors.Is(err, storage.ErrFull) {
			return i
		}
		if err != nil {
			t.Fatalf("Update %d: got %v, want nil or %v", i, err, storage.ErrFull)
		}
	}
	t.Fatalf("1000 updates of 20,000 bytes: got no error, want %v", storage.ErrFull)
	return 0
}

func wantLength(t *testing.T, store storage.Store, i int) {
	t.Helper()
	err := store.View(t.Context(), func(tx storage.Tx) error {
		value, err := tx.Get("bucket", fmt.Append(nil, i))
		if len(value) != 20_000 {
			t.Errorf("Get(%d): got %d bytes, want 20000", i, len(value))
		}
		return err
	})
	if err != nil {
		t.Errorf("View: got %v, want nil", err)
	}
}
