package blobfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/disk"
)

// Folder is a storage.Blobs in a folder.
type Folder struct {
	path   string
	handle *os.File
	writer disk.Writer
	fault  *disk.Fault
	spare  int64
	// names makes durable which files the folder has.
	names disk.Syncer
	// making is held while room is looked for and taken.
	making sync.Mutex

	running sync.RWMutex // held for reading by every operation
	closed  bool

	// reserve, free and syncNames are the system's, but in tests.
	reserve   func(file *os.File, size int64) error
	free      func() (free int64, known bool)
	syncNames func() error
}

var _ storage.Blobs = (*Folder)(nil)

// Options say how a folder is opened.
type Options struct {
	// Fault is what refuses every call after a failed sync. It is required.
	Fault *disk.Fault
	// Spare is how many bytes of the disk no blob takes; 0 for none.
	Spare int64
	// Writer writes and syncs the files; nil for the system's. For tests.
	Writer disk.Writer
}

var errNotAFolder = errors.New("blobfile: not a folder")

// Open opens the folder at path, and makes it if it is missing; the one above it must
// exist. It closes a folder that other users can access to them, and follows no link. It
// returns a storage.ErrFull if the disk has no room for a folder. The caller closes it.
func Open(path string, opts Options) (*Folder, error) {
	handle, err := openFolder(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of blobs: %w", err)
	}
	f := &Folder{
		path: path, handle: handle, writer: opts.Writer, fault: opts.Fault, spare: opts.Spare,
		reserve: disk.Reserve, syncNames: handle.Sync,
		free: func() (int64, bool) { return disk.FreeBytes(path) },
	}
	if f.writer == nil {
		f.writer = disk.System{}
	}
	f.names.Do = f.syncFolder
	return f, nil
}

// openFolder makes the folder if it is missing. What it finds is made durable as well: the
// process that made it may have been killed before it was.
func openFolder(path string) (*os.File, error) {
	if err := os.Mkdir(path, 0o700); isFull(err) {
		return nil, fmt.Errorf("%w: %w", storage.ErrFull, err)
	} else if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	handle, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) { // EMLINK on FreeBSD
		return nil, linkError(path)
	}
	if err != nil {
		return nil, err
	}
	err = closeToOthers(handle)
	if err == nil {
		err = errors.Join(handle.Sync(), syncParent(path))
	}
	if err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return handle, nil
}

// Check returns the error with which Open refuses what is at path, as far as it shows
// without changing anything. It is nil if nothing is there, or if only another user sees it.
func Check(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil
	case err != nil:
		return fmt.Errorf("opening the folder of blobs: %w", err)
	case info.Mode().Type() == fs.ModeSymlink:
		return linkError(path)
	case !info.IsDir():
		return fmt.Errorf("%w: %s", errNotAFolder, path)
	}
	return nil
}

func linkError(path string) error {
	return fmt.Errorf("%w: %s is a link; put the folder itself there, or mount its disk there", errNotAFolder, path)
}

// closeToOthers takes every right from other users. The folder lies in one that is closed
// to them, so its own mode is a second door.
func closeToOthers(folder *os.File) error {
	info, err := folder.Stat()
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: %s", errNotAFolder, folder.Name())
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := folder.Chmod(0o700); err != nil {
		return fmt.Errorf("%s has mode %04o: %w", folder.Name(), info.Mode().Perm(), err)
	}
	return nil
}

func syncParent(path string) error {
	parent, err := os.Open(filepath.Dir(filepath.Clean(path)))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// Close waits for running operations. Further calls do nothing.
func (f *Folder) Close() error {
	f.running.Lock()
	defer f.running.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if err := f.handle.Close(); err != nil {
		return fmt.Errorf("closing the folder of blobs: %w", err)
	}
	return nil
}

// enter admits an operation, which must then release running.
func (f *Folder) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.running.RLock()
	err := f.fault.Check()
	if f.closed {
		err = storage.ErrClosed
	}
	if err != nil {
		f.running.RUnlock()
	}
	return err
}

// pathOf returns the path of the file of a blob.
func (f *Folder) pathOf(id storage.BlobID) string { return filepath.Join(f.path, id.String()) }

// syncFolder makes the names of the files durable. It trips the fault before it returns: a
// next round must not begin, because the system reports an error only once.
func (f *Folder) syncFolder() error {
	if err := f.fault.Check(); err != nil {
		return err
	}
	if err := f.syncNames(); err != nil {
		return f.fault.Trip(fmt.Errorf("syncing the folder of blobs: %w", err))
	}
	return nil
}

// failed classifies the error of a write: a full disk, which is harmless, or an unknown
// outcome.
func (f *Folder) failed(doing string, err error) error {
	if disk.IsFull(err) {
		return disk.WriteFailed(doing, err)
	}
	return f.fault.Trip(fmt.Errorf("%s: %w", doing, err))
}

// checkRoom returns a storage.ErrFull if the disk would have less than the spare bytes
// after it has given some. It returns nil if the free bytes are unknown.
func (f *Folder) checkRoom(bytes int64) error {
	if free, known := f.free(); known && free-bytes < f.spare {
		return fmt.Errorf("%w: %s", storage.ErrFull, disk.Shortage(free, bytes+f.spare))
	}
	return nil
}

// isFull reports whether making or naming a file found the disk full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
