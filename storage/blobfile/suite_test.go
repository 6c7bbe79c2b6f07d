package blobfile_test

import (
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/disk"
	"hush/storage/storagetest"
)

func mustOpen(t testing.TB, path string) *blobfile.Folder {
	t.Helper()
	f, err := blobfile.Open(path, blobfile.Options{Fault: disk.NewFault(func(err error) { t.Errorf("Fault: got %v, want none", err) })})
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
	return f
}

func TestSuite(t *testing.T) {
	storagetest.RunBlobs(t, func(t *testing.T) storage.Blobs {
		t.Helper()
		return mustOpen(t, filepath.Join(t.TempDir(), "files"))
	})
}
