package blobfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hush/storage"
)

// deleteStep is how much of a file is given back at a time. A file system may hold up
// all writers while it gives back many GiB at once.
const deleteStep = 256 << 20

// Delete implements storage.Blobs. The name goes first, so that no call, and no start after
// a crash, finds a part of a blob; what a crash interrupts the system completes.
func (f *Folder) Delete(ctx context.Context, id storage.BlobID) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.running.RUnlock()
	file, info, err := openPlain(f.pathOf(id), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting a blob: %w", err)
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting a blob: %w", err)
	}
	if err := f.names.Sync(); err != nil {
		return err
	}
	for size := info.Size() - deleteStep; size > 0; size -= deleteStep {
		if file.Truncate(size) != nil {
			break // closing the file gives everything back, if more slowly
		}
	}
	return nil
}
