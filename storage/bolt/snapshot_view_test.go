package bolt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
)

// A view of a snapshot shows the rows of its moment, and ends when it is told to.
func TestSnapshotView(t *testing.T) {
	t.Parallel()
	folder, err := bolt.OpenFolder(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, _, err := folder.Open(bolt.Options{Small: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	put := func(first, n uint64) {
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			for key := range n {
				if err := tx.Put("rows", binary.BigEndian.AppendUint64(nil, first+key), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(0, 3000)
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	count := func(_, _ []byte) error { //nolint:unparam // the form that Range takes
		if read++; read == 3000 {
			cancel()
		}
		return nil
	}
	err = store.Snapshot(ctx, func(s *bolt.Snapshot) error {
		put(3000, 3000)
		names, err := s.Buckets()
		if err != nil || len(names) != 1 || names[0] != "rows" {
			t.Errorf("Buckets(): got %q and %v, want rows", names, err)
		}
		return s.View(ctx, func(tx storage.Tx) error { return tx.Range("rows", nil, nil, count) })
	})
	if err != nil || read != 3000 {
		t.Errorf("View(snapshot): got %d rows and %v, want the 3000 of its moment", read, err)
	}
	err = store.Snapshot(t.Context(), func(s *bolt.Snapshot) error {
		return s.View(ctx, func(storage.Tx) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("View(after its end): got %v, want %v", err, context.Canceled)
	}
	later, stop := context.WithCancel(t.Context())
	read = -1_000_000
	err = store.Snapshot(t.Context(), func(s *bolt.Snapshot) error {
		return s.View(later, func(tx storage.Tx) error {
			stop()
			return tx.Range("rows", nil, nil, count)
		})
	})
	if !errors.Is(err, context.Canceled) || read > -1_000_000+2000 {
		t.Errorf("Range(cancelled): got %v after %d rows, want %v within 2000", err, read+1_000_000, context.Canceled)
	}
}
