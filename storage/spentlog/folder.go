package spentlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hush/storage"
)

const (
	// lockPatience covers the moment in which a stopping process still holds
	// the log while its successor starts.
	lockPatience = 500 * time.Millisecond
	lockInterval = 25 * time.Millisecond
)

// folder is the folder of a log that this process owns until close.
type folder struct {
	path   string
	handle *os.File
}

// createFolder creates a folder if it is missing, but not its parents: a disk
// that is not mounted must not be replaced by a folder.
func createFolder(dir string) (*folder, error) {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = syncFolder(filepath.Dir(filepath.Clean(dir)))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("creating the folder of the spent log: %w", err)
	}
	return openFolder(dir)
}

// openFolder locks a folder for this process. It refuses one that other users
// can access.
func openFolder(dir string) (*folder, error) {
	handle, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNoLog, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the spent log: %w", err)
	}
	f := &folder{dir, handle}
	if err := errors.Join(f.checkMode(), f.lock()); err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return f, nil
}

func (f *folder) checkMode() error {
	info, err := f.handle.Stat()
	if err != nil {
		return fmt.Errorf("reading the mode of the spent log's folder: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%w: %s", errOpenToOthers, storage.AdviseMode(f.path, info, "hush-spent"))
	}
	return nil
}

// lock locks the folder's own descriptor, so that there is no lock file to be
// left behind.
func (f *folder) lock() error {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(lockInterval) {
		err := unix.Flock(int(f.handle.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("locking the folder of the spent log: %w", err)
		case time.Now().After(deadline):
			return fmt.Errorf("%w: %s", ErrInUse, f.path)
		}
	}
}

// CheckNew returns the error with which Create would refuse a folder, as far as it
// shows without changing anything.
func CheckNew(dir string) error {
	_, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(filepath.Clean(dir))); err != nil {
			return fmt.Errorf("creating the folder of the spent log: %w", err)
		}
		return nil
	}
	f, err := openFolder(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.checkNew(), f.close())
}

// checkNew returns ErrNotEmpty if the folder holds anything but segments that were not
// finished. What the disk's file system makes does not count.
func (f *folder) checkNew() error {
	names, err := os.ReadDir(f.path)
	if err != nil {
		return fmt.Errorf("reading the folder of the spent log: %w", err)
	}
	for _, name := range names {
		if n := name.Name(); !storage.IsOfDisk(n) && !strings.HasSuffix(n, segmentSuffix) && !strings.HasSuffix(n, segmentSuffix+unfinishedSuffix) {
			return fmt.Errorf("%w: %s holds %s", ErrNotEmpty, f.path, n)
		}
	}
	log, err := Read(f.path)
	if errors.Is(err, ErrNoLog) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %s holds the spent log %s", ErrNotEmpty, f.path, log.id)
}

// clear removes segments that were not finished, and returns ErrNotEmpty if the
// folder holds anything else.
func (f *folder) clear() error {
	if err := f.checkNew(); err != nil {
		return err
	}
	return f.removeUnfinished()
}

// removeUnfinished removes the segments that were not finished.
func (f *folder) removeUnfinished() error {
	unfinished, err := filepath.Glob(filepath.Join(f.path, "*"+segmentSuffix+unfinishedSuffix))
	for _, path := range unfinished {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return fmt.Errorf("removing an unfinished segment: %w", err)
	}
	return f.sync()
}

// sync makes the names in the folder durable.
func (f *folder) sync() error {
	if err := f.handle.Sync(); err != nil {
		return fmt.Errorf("syncing the folder of the spent log: %w", err)
	}
	return nil
}

func (f *folder) close() error {
	// Closing the descriptor alone would leave the lock to its copies: a child
	// process has one until it runs exec.
	return errors.Join(unix.Flock(int(f.handle.Fd()), unix.LOCK_UN), f.handle.Close())
}

func syncFolder(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}
