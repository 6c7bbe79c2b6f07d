package storagetest_test

import (
	"context"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/disk"
	"hush/storage/storagetest"
)

// The checks must be able to fail: on blobs whose parts share bytes, and on those that are
// there after they were deleted.
func TestRejectsWeakBlobs(t *testing.T) {
	sound, err := blobfile.Open(filepath.Join(t.TempDir(), "files"), blobfile.Options{Fault: disk.NewFault(nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer sound.Close()
	for name, tt := range map[string]struct {
		check func(context.Context, storage.Blobs) error
		weak  storage.Blobs
	}{
		"CheckParts":   {storagetest.CheckParts, mixedBlobs{sound}},
		"CheckDeletes": {storagetest.CheckDeletes, lastingBlobs{sound}},
	} {
		if err := tt.check(t.Context(), sound); err != nil {
			t.Errorf("%s(sound blobs): got %v, want nil", name, err)
		}
		if err := tt.check(t.Context(), tt.weak); err == nil {
			t.Errorf("%s(weak blobs): got nil, want an error", name)
		}
		// What the weak ones left.
		if err := sound.List(t.Context(), func(id storage.BlobID, _ int64) error { return sound.Delete(t.Context(), id) }); err != nil {
			t.Errorf("List: got %v, want nil", err)
		}
	}
}

// mixedBlobs keep two parts in one place.
type mixedBlobs struct{ storage.Blobs }

func (m mixedBlobs) Put(ctx context.Context, id storage.BlobID, part int64, data []byte) error {
	return m.Blobs.Put(ctx, id, part&^1, data)
}

func (m mixedBlobs) Get(ctx context.Context, id storage.BlobID, part int64, length int) ([]byte, error) {
	return m.Blobs.Get(ctx, id, part&^1, length)
}

// lastingBlobs delete nothing.
type lastingBlobs struct{ storage.Blobs }

func (lastingBlobs) Delete(context.Context, storage.BlobID) error { return nil }
