package offline_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/offline"
	"hush/testtier"
)

// stoppedFolder fills a data folder with deep trees, and returns it.
func stoppedFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, shares, err := folder.Open(bolt.Options{Small: true})
	if err != nil {
		t.Fatal(err)
	}
	for batch := range 20 {
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			for n := range 200 {
				key := binary.BigEndian.AppendUint64(nil, uint64(batch*200+n))
				if err := tx.Put("large", key, make([]byte, 600)); err != nil {
					return err
				}
				if err := tx.Put("index", key, nil); err != nil {
					return err
				}
			}
			return tx.Put("overflowing", []byte{byte(batch)}, make([]byte, 9000))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		if _, err := shares.Put(t.Context(), [storage.ShareSize]byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// look inspects a folder and reads every row of it.
func look(t *testing.T, dir string) error {
	t.Helper()
	i, err := offline.Inspect(dir)
	if err != nil {
		t.Fatalf("Inspect(): got %v, want nil", err)
	}
	defer i.Close()
	if err := i.OpenDatabase(t.Context(), nil); err != nil {
		return err
	}
	names, err := i.Buckets()
	if err != nil {
		return err
	}
	err = i.View(t.Context(), func(tx storage.Tx) error {
		for _, name := range names {
			if err := tx.Range(name, nil, nil, func(_, _ []byte) error { return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = i.OpenShares(t.Context())
	return err
}

// Whatever is flipped in a database, looking into it neither crashes nor runs in
// circles: it is refused, or every row can be read.
func TestInspectDamagedPages(t *testing.T) {
	t.Parallel()
	dir := stoppedFolder(t)
	if err := look(t, dir); err != nil {
		t.Fatalf("looking into a good folder: got %v, want nil", err)
	}
	path := filepath.Join(dir, "hush.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	page := int64(os.Getpagesize())
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	seed, flips := uint64(1), 60
	if testtier.IsFull() {
		seed, flips = rand.Uint64(), 600
	}
	random, refused := rand.New(rand.NewPCG(seed, 0)), 0
	for range flips {
		// Most flips hit what leads to other bytes.
		at := random.Int64N(info.Size()/page)*page + random.Int64N(200)
		good := make([]byte, 1)
		if _, err := file.ReadAt(good, at); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt([]byte{good[0] ^ byte(1+random.IntN(255))}, at); err != nil {
			t.Fatal(err)
		}
		err := look(t, dir)
		if err != nil && !errors.Is(err, bolt.ErrMismatch) {
			t.Errorf("looking into a folder with byte %d flipped: got %v, want nil or %v; seed %d", at, err, bolt.ErrMismatch, seed)
		}
		if err != nil {
			refused++
		}
		if _, err := file.WriteAt(good, at); err != nil {
			t.Fatal(err)
		}
	}
	if refused < flips/30 {
		t.Errorf("flips that were found: got %d of %d, want at least %d; seed %d", refused, flips, flips/30, seed)
	}
}

// An inspection keeps a service away, and is kept away by one.
func TestInspectHoldsTheFolder(t *testing.T) {
	t.Parallel()
	dir := stoppedFolder(t)
	i, err := offline.Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.OpenFolder(dir); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("OpenFolder(inspected folder): got %v, want %v", err, bolt.ErrLocked)
	}
	if err := i.OpenDatabase(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	if err := i.View(t.Context(), func(tx storage.Tx) error { return tx.Put("bucket", []byte("key"), nil) }); err == nil {
		t.Error("Put() in Inspection.View(): got nil, want an error")
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if _, err := offline.Inspect(dir); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("Inspect(folder in use): got %v, want %v", err, bolt.ErrLocked)
	}
}
