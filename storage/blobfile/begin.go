package blobfile

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/disk"
)

// reserveStep is how much is allocated at a time: a call of the system that takes long
// holds up an end of the process.
const reserveStep = 1 << 30

// Begin implements storage.Blobs. It allocates the whole file. Where the file system
// cannot do that, it takes a blob if the disk has enough free bytes at the time.
func (f *Folder) Begin(ctx context.Context, id storage.BlobID, size, partSize int64) error {
	l, err := newLayout(id, size, partSize)
	if err != nil {
		return err
	}
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.running.RUnlock()
	file, err := f.create(l)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := f.writer.Sync(file); err != nil {
		return f.fault.Trip(fmt.Errorf("syncing a new blob: %w", err))
	}
	return f.names.Sync()
}

// create makes the file of a blob, with its room and its header. After an error there is no
// file, unless the outcome is unknown.
func (f *Folder) create(l layout) (*os.File, error) {
	f.making.Lock()
	defer f.making.Unlock()
	if err := f.checkRoom(l.fileSize()); err != nil {
		return nil, fmt.Errorf("making room for a blob: %w", err)
	}
	file, err := os.OpenFile(f.pathOf(l.id), os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if isFull(err) {
		return nil, fmt.Errorf("making a blob: %w: %w", storage.ErrFull, err)
	}
	if err != nil {
		return nil, fmt.Errorf("making a blob: %w", err)
	}
	if err = f.allocate(file, l.fileSize()); err == nil {
		err = f.writeHeader(file, l)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return file, nil
}

// allocate makes room for size bytes, or sets the length alone where that is all that the
// file system can do.
func (f *Folder) allocate(file *os.File, size int64) error {
	for at := int64(0); at < size; {
		at = min(at+reserveStep, size)
		err := f.reserve(file, at)
		if errors.Is(err, errors.ErrUnsupported) {
			return disk.WriteFailed("making room for a blob", file.Truncate(size))
		}
		if err != nil {
			return fmt.Errorf("making room for a blob: %w", err)
		}
	}
	return nil
}

func (f *Folder) writeHeader(file *os.File, l layout) error {
	block, raw := make([]byte, blockSize), l.encode()
	copy(block, raw[:])
	if err := f.writer.WriteAt(file, block[:min(blockSize, l.fileSize())], 0); err != nil {
		return f.failed("writing the header of a blob", err)
	}
	return nil
}
