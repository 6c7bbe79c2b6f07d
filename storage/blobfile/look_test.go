package blobfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hush/storage"
	"hush/storage/blobfile"
)

// A lens finds what was begun, while the folder is in use, and tells a blob that is missing
// from one that is damaged.
func TestLens(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	lens := blobfile.Lens(dir)
	wantBlobs(t, lens) // the folder is missing
	f := mustOpen(t, dir)
	id := storage.NewBlobID()
	if err := f.Begin(t.Context(), id, 10_000, 4000); err != nil {
		t.Fatal(err)
	}
	wantBlobs(t, lens, id)
	if size, partSize, err := lens.Look(id); size != 10_000 || partSize != 4000 || err != nil {
		t.Errorf("Look: got %d, %d and %v, want 10000 and 4000", size, partSize, err)
	}
	path := filepath.Join(dir, id.String())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cut": whole[:len(whole)-1], "longer": append(slices.Clone(whole), 0), "without a header": whole[:10],
		"with another header": append([]byte{1}, whole[1:]...),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := lens.Look(id); !errors.Is(err, blobfile.ErrDamaged) {
			t.Errorf("Look(%s): got %v, want %v", name, err, blobfile.ErrDamaged)
		}
	}
	if err := f.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wantBlobs(t, lens)
	if _, _, err := lens.Look(id); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Look(deleted): got %v, want %v", err, storage.ErrNotFound)
	}
}

func wantBlobs(t *testing.T, lens blobfile.Lens, want ...storage.BlobID) {
	t.Helper()
	var got []storage.BlobID
	err := lens.Each(func(id storage.BlobID) error {
		got = append(got, id)
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Each: got %v and %v, want %v", got, err, want)
	}
}
