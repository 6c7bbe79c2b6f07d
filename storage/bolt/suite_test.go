package bolt_test

import (
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
	"hush/storage/storagetest"
)

func TestSuite(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) (storage.Store, storage.Shares) {
		store, shares, _ := open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{Small: true})
		return store, shares
	})
}

func TestSlotsOverRestarts(t *testing.T) {
	storagetest.RunRecycler(t, func(t *testing.T) (func() storage.Shares, func()) {
		dir := filepath.Join(t.TempDir(), "data")
		stop := func() {}
		return func() storage.Shares {
			stop()
			_, shares, folder := open(t, dir, bolt.Options{Small: true})
			stop = func() { mustClose(t, folder) }
			return shares
		}, func() { stop() }
	})
}

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
