package blobfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"hush/storage"
)

// Put implements storage.Blobs.
func (f *Folder) Put(ctx context.Context, id storage.BlobID, part int64, data []byte) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.running.RUnlock()
	b, err := f.open(id, os.O_RDWR)
	if err != nil {
		return err
	}
	defer b.file.Close()
	if err := b.check(part, len(data)); err != nil {
		return err
	}
	// Without room of its own a blob must not take what is kept for others.
	if !b.hasRoom {
		if err := f.checkRoom(int64(len(data))); err != nil {
			return fmt.Errorf("writing a part: %w", err)
		}
	}
	if err := f.writer.WriteAt(b.file, data, b.offset(part)); err != nil {
		return f.failed("writing a part", err)
	}
	if err := f.writer.Sync(b.file); err != nil {
		return f.fault.Trip(fmt.Errorf("syncing a part: %w", err))
	}
	return b.exists()
}

// Get implements storage.Blobs.
func (f *Folder) Get(ctx context.Context, id storage.BlobID, part int64, length int) ([]byte, error) {
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	defer f.running.RUnlock()
	b, err := f.open(id, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer b.file.Close()
	if err := b.check(part, length); err != nil {
		return nil, err
	}
	data := make([]byte, length)
	if _, err := b.file.ReadAt(data, b.offset(part)); err != nil {
		return nil, b.cut(err)
	}
	// Of a file that is being deleted, zeros may have been read.
	if err := b.exists(); err != nil {
		return nil, err
	}
	return data, nil
}

// blob is an open file.
type blob struct {
	layout

	file *os.File
	// hasRoom reports that the whole file was allocated.
	hasRoom bool
}

// open opens the file of a blob, which the caller closes.
func (f *Folder) open(id storage.BlobID, flag int) (*blob, error) {
	file, info, err := openPlain(f.pathOf(id), flag)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", id, storage.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a blob: %w", err)
	}
	b := &blob{layout: layout{id: id}, file: file, hasRoom: bytesOf(info) >= info.Size()}
	var raw rawHeader
	if _, err = file.ReadAt(raw[:], 0); err != nil {
		err = b.cut(err)
	} else if b.layout, err = decodeLayout(&raw, id); err != nil {
		err = errors.Join(b.exists(), err)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return b, nil
}

// openPlain opens what must be a plain file.
func openPlain(path string, flag int) (*os.File, fs.FileInfo, error) {
	file, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no plain file", ErrDamaged, path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// exists returns a storage.ErrNotFound if the blob was deleted since it was opened.
func (b *blob) exists() error {
	info, err := b.file.Stat()
	if err != nil {
		return fmt.Errorf("looking at a blob: %w", err)
	}
	if system, ok := info.Sys().(*syscall.Stat_t); ok && system.Nlink == 0 {
		return fmt.Errorf("blob %s: %w", b.id, storage.ErrNotFound)
	}
	return nil
}

// cut explains an error of reading: a file that ends too early is being deleted, or it is
// damaged.
func (b *blob) cut(err error) error {
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading a blob: %w", err)
	}
	if err := b.exists(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s is truncated", ErrDamaged, b.id)
}

// bytesOf returns the bytes that a file takes on the disk.
func bytesOf(info fs.FileInfo) int64 {
	const unit = 512 // on every system, whatever the size of a block
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return system.Blocks * unit
	}
	return info.Size()
}
