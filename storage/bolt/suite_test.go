package bolt_test

import (
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/storagetest"
)

func TestSuite(t *testing.T) {
	open := func(t *testing.T) (storage.Store, storage.Shares) {
		t.Helper()
		store, shares, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{Small: true})
		return store, shares
	}
	storagetest.Run(t, open)
	t.Run("Observer", func(t *testing.T) { storagetest.RunObserver(t, open) })
}

func TestSlotsOverRestarts(t *testing.T) {
	storagetest.RunRecycler(t, func(t *testing.T) (func() storage.Shares, func()) {
		dir := filepath.Join(t.TempDir(), "data")
		stop := func() {}
		return func() storage.Shares {
			stop()
			_, shares, folder := bolttest.Open(t, dir, bolt.Options{Small: true})
			stop = func() { bolttest.MustClose(t, folder) }
			return shares
		}, func() { stop() }
	})
}
