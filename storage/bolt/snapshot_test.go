package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
)

// A snapshot has all rows of all buckets in order, and nothing that was committed
// after it began.
func TestSnapshotIsConsistent(t *testing.T) {
	store, _, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	for _, bucket := range []string{"b", "a", "a b"} {
		for i := range 3 {
			bolttest.PutRow(t, store, bucket, fmt.Sprint(9-i), "v")
		}
	}
	got := bolttest.RowsOf(t, store, func() {
		bolttest.PutRow(t, store, "a", "8", "changed")
		bolttest.PutRow(t, store, "z", "1", "new")
	})
	want := []string{"a/7=v", "a/8=v", "a/9=v", "a b/7=v", "a b/8=v", "a b/9=v", "b/7=v", "b/8=v", "b/9=v"}
	if !slices.Equal(got, want) {
		t.Errorf("rows of a snapshot: got %q, want %q", got, want)
	}
	if after := bolttest.RowsOf(t, store, func() {}); !slices.Contains(after, "z/1=new") {
		t.Errorf("rows of the next snapshot: got %q, want z/1=new among them", after)
	}
}

// The database grows to more than twice its size while a snapshot is read. Writers
// do not wait for it, and it is what it was.
func TestSnapshotWhileTheDatabaseGrows(t *testing.T) {
	store, _, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{Small: testing.Short()})
	size := 256 << 10
	if testing.Short() {
		size = 16 << 10
	}
	value := bytes.Repeat([]byte("v"), size)
	var want []string
	for i := range 80 {
		bolttest.PutRow(t, store, "kept", fmt.Sprintf("%03d", i), string(value))
		want = append(want, fmt.Sprintf("kept/%03d=%s", i, value))
	}
	var before int64
	got := bolttest.RowsOf(t, store, func() {
		before = sizeOf(t, store)
		for i := range 180 {
			bolttest.PutRow(t, store, "grown", fmt.Sprintf("%03d", i), string(value))
		}
	})
	if after := sizeOf(t, store); after < 2*before {
		t.Fatalf("size of the database: got %d after %d, want twice as much", after, before)
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows of a snapshot: got %d, want the %d of its beginning", len(got), len(want))
	}
}

// sizeOf returns the length of the database.
func sizeOf(t *testing.T, store *bolt.Store) (bytes int64) {
	t.Helper()
	err := store.Snapshot(t.Context(), func(s *bolt.Snapshot) error {
		bytes = s.Bytes()
		return nil
	})
	if err != nil {
		t.Fatalf("Snapshot: got %v, want nil", err)
	}
	return bytes
}

func TestSnapshotEndsWithItsContext(t *testing.T) {
	store, _, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		for i := range 5000 {
			if err := tx.Put("bucket", fmt.Appendf(nil, "%05d", i), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	err = store.Snapshot(ctx, func(s *bolt.Snapshot) error {
		return s.Rows(ctx, func(string, []byte, []byte) error {
			seen++
			cancel()
			return nil
		})
	})
	if !errors.Is(err, context.Canceled) || seen > 2000 {
		t.Errorf("Rows(cancelled): got %v after %d rows, want %v soon", err, seen, context.Canceled)
	}
}
