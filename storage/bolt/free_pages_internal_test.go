package bolt

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
)

// Free pages are room: after a commit, after a restart and before any commit, and not
// those that a snapshot holds back.
func TestFreePagesAreReported(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Add(int64(time.Second)))) }
	opts := Options{Small: true, MinFree: 2 << 20, Now: now, disk: func() (int64, bool) { return 0, true }}
	start := func() (*Store, *Folder) {
		f, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := f.Open(opts)
		if err != nil {
			t.Fatal(err)
		}
		return s, f
	}
	change := func(s *Store, fn func(tx storage.Tx, key []byte) error) {
		err := s.Update(t.Context(), func(tx storage.Tx) error {
			for i := range 200 {
				if err := fn(tx, fmt.Append(nil, i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(tx storage.Tx, key []byte) error { return tx.Put("b", key, make([]byte, 20_000)) }
	del := func(tx storage.Tx, key []byte) error { return tx.Delete("b", key) }
	want := func(f *Folder, when string, room bool) {
		if got := f.HasDiskSpace(); got != room {
			t.Errorf("HasDiskSpace %s: got %t, want %t", when, got, room)
		}
	}
	s, f := start()
	want(f, "new", false)
	change(s, put)
	want(f, "filled", false)
	err := s.Snapshot(t.Context(), func(*Snapshot) error {
		change(s, del)
		want(f, "emptied during a snapshot", false)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(f, "emptied, after the snapshot", true)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, f = start()
	want(f, "after a restart", true)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
