package offline_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/offline"
)

// wastefulFolder is a folder of which most rows were deleted. It returns the rows
// that are left, and the shares.
func wastefulFolder(t *testing.T) (dir string, rows map[string]string, kept []storage.Slot) {
	t.Helper()
	dir = stoppedFolder(t)
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, shares, err := folder.Open(bolt.Options{Small: true})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), func(tx storage.Tx) error {
		var keys [][]byte
		err := tx.Range("large", nil, nil, func(key, _ []byte) error {
			if key[7]%16 != 0 {
				keys = append(keys, append([]byte(nil), key...))
			}
			return nil
		})
		for _, key := range keys {
			err = errors.Join(err, tx.Delete("large", key))
		}
		return errors.Join(err, tx.Put("empty", []byte{1}, nil), tx.Delete("empty", []byte{1}))
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{byte(n)})
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, slot)
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, storedRows(t, dir), kept[:20]
}

// storedRows returns all rows of a folder that is opened as a service opens it.
func storedRows(t *testing.T, dir string) map[string]string {
	t.Helper()
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, _, err := folder.Open(bolt.Options{Small: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	err = store.View(t.Context(), func(tx storage.Tx) error {
		for _, bucket := range []string{"large", "index", "overflowing", "empty"} {
			err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
				rows[bucket+" "+string(key)] = string(value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func compact(t *testing.T, dir string, opts offline.CompactOptions) (offline.Compacted, error) {
	t.Helper()
	i, err := offline.Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if err := i.OpenDatabase(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := i.OpenShares(t.Context()); err != nil {
		t.Fatal(err)
	}
	return i.Compact(t.Context(), opts)
}

// wantSame fails the test unless a folder has these rows, these shares, and no
// others of its shares after them.
func wantSame(t *testing.T, dir string, rows map[string]string, kept []storage.Slot) {
	t.Helper()
	got := storedRows(t, dir)
	if len(got) != len(rows) {
		t.Errorf("rows: got %d, want %d", len(got), len(rows))
	}
	for key, value := range rows {
		if got[key] != value {
			t.Fatalf("row %q: got %q, want %q", key, got[key], value)
		}
	}
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	_, shares, err := folder.Open(bolt.Options{Small: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, slot := range kept {
		if share, err := shares.Get(t.Context(), slot); err != nil || share[0] != byte(n) {
			t.Errorf("Get(slot %d): got %v, %v, want share %d", slot.Number, share[0], err, n)
		}
	}
	// The file grows again.
	if _, err := shares.Put(t.Context(), [storage.ShareSize]byte{}); err != nil {
		t.Errorf("Put() after a compaction: got %v, want nil", err)
	}
}

// A compaction gives space back and keeps every row and share in use.
func TestCompact(t *testing.T) {
	t.Parallel()
	dir, rows, kept := wastefulFolder(t)
	last := kept[len(kept)-1].Number
	before := sizesOf(t, dir)
	planned, err := compact(t, dir, offline.CompactOptions{Last: &last, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if after := sizesOf(t, dir); after != before {
		t.Errorf("folder after Compact(Check): got %v, want %v", after, before)
	}
	done, err := compact(t, dir, offline.CompactOptions{Last: &last})
	if err != nil {
		t.Fatal(err)
	}
	if done.DatabaseAfter > planned.DatabaseAfter || done.DatabaseAfter >= done.DatabaseBefore/2 {
		t.Errorf("size of the database: got %d, want at most %d and less than half of %d", done.DatabaseAfter, planned.DatabaseAfter, done.DatabaseBefore)
	}
	sizes := sizesOf(t, dir)
	if want := [2]int64{done.DatabaseAfter, int64(last+1) * 64}; sizes != want {
		t.Errorf("sizes: got %v, want %v", sizes, want)
	}
	wantSame(t, dir, rows, kept)
}

// sizesOf returns the sizes of the database and of the shares.
func sizesOf(t *testing.T, dir string) (sizes [2]int64) {
	t.Helper()
	for n, name := range []string{"hush.db", "shares"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sizes[n] = info.Size()
	}
	return sizes
}

// Wherever a compaction stops, the folder has all data; the next one is complete.
func TestCompactStopsAnywhere(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for _, at := range []offline.CompactStep{offline.CompactWrite, offline.CompactVerify, offline.CompactName, offline.CompactShares} {
		dir, rows, kept := wastefulFolder(t)
		last := kept[len(kept)-1].Number
		reached := false
		_, err := compact(t, dir, offline.CompactOptions{Last: &last, Step: func(s offline.CompactStep) error {
			if s == at {
				reached = true
				return stopped
			}
			return nil
		}})
		if !reached || !errors.Is(err, stopped) {
			t.Errorf("Compact(stopped at %s): got %v, want %v", at, err, stopped)
		}
		wantSame(t, dir, rows, kept)
		if _, err := compact(t, dir, offline.CompactOptions{Last: &last}); err != nil {
			t.Errorf("Compact(after one that stopped at %s): got %v, want nil", at, err)
		}
		wantSame(t, dir, rows, kept)
		if _, err := os.Stat(filepath.Join(dir, "hush.db.new")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("hush.db.new after Compact(): got %v, want %v", err, os.ErrNotExist)
		}
	}
}

// Attack: who owns the folder puts a link where the new database is made, and waits
// for root to compact.
func TestCompactFollowsNoLink(t *testing.T) {
	dir, rows, _ := wastefulFolder(t)
	victim := filepath.Join(t.TempDir(), "victim")
	_, err := compact(t, dir, offline.CompactOptions{Step: func(s offline.CompactStep) error {
		if s != offline.CompactWrite {
			return nil
		}
		return os.Symlink(victim, filepath.Join(dir, "hush.db.new"))
	}})
	if err == nil {
		t.Error("Compact(link in the way): got nil, want an error")
	}
	if info, err := os.Lstat(victim); err == nil {
		t.Errorf("file behind the link: got %d bytes, want none", info.Size())
	}
	if got := storedRows(t, dir); len(got) != len(rows) {
		t.Errorf("rows: got %d, want %d", len(got), len(rows))
	}
}
