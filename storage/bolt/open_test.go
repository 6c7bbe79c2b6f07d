package bolt_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
)

// TestDurable closes and opens again: records and shares are what they were.
func TestDurable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	share := [storage.ShareSize]byte{1, 2, 3}
	var kept, destroyed storage.Slot
	for start := range 3 {
		store, shares, folder := bolttest.Open(t, dir, bolt.Options{})
		if start == 0 {
			kept, destroyed = bolttest.PutShare(t, shares, share), bolttest.PutShare(t, shares, share)
			if err := shares.Destroy(t.Context(), destroyed); err != nil {
				t.Fatal(err)
			}
		}
		bolttest.Put(t, store, fmt.Sprintf("key-%d", start), "value")
		for i := range start + 1 {
			bolttest.WantValue(t, store, fmt.Sprintf("key-%d", i), "value")
		}
		if got, err := shares.Get(t.Context(), kept); err != nil || got != share {
			t.Errorf("Get after start %d: got %x, %v, want %x", start, got, err, share)
		}
		if _, err := shares.Get(t.Context(), destroyed); !errors.Is(err, storage.ErrShareGone) {
			t.Errorf("Get(destroyed) after start %d: got %v, want %v", start, err, storage.ErrShareGone)
		}
		bolttest.MustClose(t, folder)
	}
}

func TestFileModes(t *testing.T) {
	_, _, folder := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	for _, name := range []string{"hush.db", "shares"} {
		info, err := os.Stat(folder.Path(name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s: got %v, %v, want 0600", name, info.Mode(), err)
		}
	}
}

func TestInitRunsOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	runs := 0
	opts := bolt.Options{Init: func(tx storage.Tx) error {
		runs++
		return tx.Put("meta", []byte("verifier"), []byte("value"))
	}}
	for range 2 {
		store, _, folder := bolttest.Open(t, dir, opts)
		err := store.View(t.Context(), func(tx storage.Tx) error {
			_, err := tx.Get("meta", []byte("verifier"))
			return err
		})
		if err != nil || runs != 1 {
			t.Errorf("after Open: got %v and %d runs of Init, want nil and 1", err, runs)
		}
		bolttest.MustClose(t, folder)
	}
}

func TestInitFails(t *testing.T) {
	folder := bolttest.MustOpenFolder(t, filepath.Join(t.TempDir(), "data"))
	want := errors.New("no")
	_, _, err := folder.Open(bolt.Options{Init: func(storage.Tx) error { return want }})
	if !errors.Is(err, want) {
		t.Errorf("Open(failing Init): got %v, want %v", err, want)
	}
	if exists, err := folder.Exists(); exists || err != nil {
		t.Errorf("Exists after failing Init: got %v, %v, want false", exists, err)
	}
	if _, _, err := folder.Open(bolt.Options{}); err != nil {
		t.Errorf("Open after failing Init: got %v, want nil", err)
	}
}

func TestOpenTwice(t *testing.T) {
	_, _, folder := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	if _, _, err := folder.Open(bolt.Options{}); err == nil {
		t.Errorf("Open again: got nil, want an error")
	}
	bolttest.MustClose(t, folder)
	if _, _, err := folder.Open(bolt.Options{}); err == nil {
		t.Errorf("Open(closed folder): got nil, want an error")
	}
	bolttest.MustClose(t, folder)
}

func TestClosed(t *testing.T) {
	store, shares, folder := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	slot := bolttest.PutShare(t, shares, [storage.ShareSize]byte{})
	if err := errors.Join(shares.Close(), shares.Close(), store.Close(), store.Close()); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
	if _, err := shares.Get(t.Context(), slot); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Get after Close: got %v, want %v", err, storage.ErrClosed)
	}
	bolttest.MustClose(t, folder)
}

// TestCrashedCreation makes each state that a crash during the first start can
// leave, and expects the next start to begin anew.
func TestCrashedCreation(t *testing.T) {
	tests := map[string]func(dir string) error{
		"empty shares":    func(dir string) error { return os.WriteFile(filepath.Join(dir, "shares"), nil, 0o600) },
		"shares":          func(dir string) error { return os.Remove(filepath.Join(dir, "hush.db")) },
		"part of a build": func(dir string) error { return cut(dir, "hush.db", "hush.db.new") },
		"complete build": func(dir string) error {
			return os.Rename(filepath.Join(dir, "hush.db"), filepath.Join(dir, "hush.db.new"))
		},
	}
	for name, crash := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			_, _, folder := bolttest.Open(t, dir, bolt.Options{})
			bolttest.MustClose(t, folder)
			if name == "empty shares" {
				if err := os.Remove(filepath.Join(dir, "hush.db")); err != nil {
					t.Fatal(err)
				}
			}
			if err := crash(dir); err != nil {
				t.Fatal(err)
			}
			store, shares, folder := bolttest.Open(t, dir, bolt.Options{})
			bolttest.Put(t, store, "key", "value")
			bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
			if _, err := os.Stat(folder.Path("hush.db.new")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("leftover after Open: got %v, want none", err)
			}
		})
	}
}

// cut renames a file and keeps only a part of it.
func cut(dir, from, to string) error {
	path := filepath.Join(dir, to)
	if err := os.Rename(filepath.Join(dir, from), path); err != nil {
		return err
	}
	return os.Truncate(path, 10_000)
}

// TestRefusesDamagedPairs changes the files of a folder in use.
func TestRefusesDamagedPairs(t *testing.T) {
	write := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	flip := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data[20] ^= 1
		return os.WriteFile(path, data, 0o600)
	}
	tests := []struct {
		name, file string
		damage     func(path string) error
		want       error
	}{
		{"no shares", "shares", os.Remove, bolt.ErrMissingShares},
		{"no database", "hush.db", os.Remove, bolt.ErrMissingDatabase},
		{"empty shares", "shares", write(""), bolt.ErrMismatch},
		{"foreign shares", "shares", write(fmt.Sprintf("%0100d", 7)), bolt.ErrMismatch},
		{"header of shares damaged", "shares", flip, bolt.ErrMismatch},
		{"shares of another folder", "shares", foreign("shares"), bolt.ErrMismatch},
		{"empty database", "hush.db", write(""), bolt.ErrMismatch},
		{"foreign text", "hush.db", write(fmt.Sprintf("%020000d", 7)), bolt.ErrMismatch},
		{"short foreign text", "hush.db", write("hello"), bolt.ErrMismatch},
		{"foreign database", "hush.db", foreignDatabase, bolt.ErrMismatch},
		{"database of another folder", "hush.db", foreign("hush.db"), bolt.ErrMismatch},
		{"half a database", "hush.db", func(path string) error { return os.Truncate(path, 3*4096) }, bolt.ErrMismatch},
		{"a page of a database", "hush.db", func(path string) error { return os.Truncate(path, 4096) }, bolt.ErrMismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			store, shares, folder := bolttest.Open(t, dir, bolt.Options{})
			bolttest.Put(t, store, "key", "value")
			bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
			bolttest.MustClose(t, folder)
			if err := tt.damage(filepath.Join(dir, tt.file)); err != nil {
				t.Fatal(err)
			}
			folder = bolttest.MustOpenFolder(t, dir)
			_, _, err := folder.Open(bolt.Options{})
			if !errors.Is(err, tt.want) {
				t.Errorf("Open: got %v, want %v", err, tt.want)
			}
		})
	}
}

// A crash after the database has its name, and before the shares have theirs,
// loses nothing.
func TestBuildSurvivesACrashWhileNaming(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	store, shares, folder := bolttest.Open(t, dir, bolt.Options{})
	bolttest.Put(t, store, "key", "value")
	slot := bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
	bolttest.MustClose(t, folder)
	if err := os.Rename(filepath.Join(dir, "shares"), filepath.Join(dir, "shares.new")); err != nil {
		t.Fatal(err)
	}
	store, shares, _ = bolttest.Open(t, dir, bolt.Options{})
	bolttest.WantValue(t, store, "key", "value")
	if _, err := shares.Get(t.Context(), slot); err != nil {
		t.Errorf("Get: got %v, want nil", err)
	}
}

// foreign replaces a file by that of another folder.
func foreign(name string) func(path string) error {
	return func(path string) error {
		dir := filepath.Join(filepath.Dir(path), "..", "other")
		folder, err := bolt.OpenFolder(dir)
		if err != nil {
			return err
		}
		_, _, err = folder.Open(bolt.Options{})
		return errors.Join(err, folder.Close(), os.Rename(filepath.Join(dir, name), path))
	}
}

func foreignDatabase(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	return db.Close()
}
