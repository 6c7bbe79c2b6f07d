package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

// The files of a folder.
const (
	DatabaseName = "hush.db"
	SharesName   = "shares"
	// NewDatabaseName and NewSharesName are of files under construction: no process
	// takes them for data. A database gets its name when it is complete and durable.
	// Shares that are still under construction beside one that has its name get theirs
	// when the folder is opened; see FinishBuild.
	NewDatabaseName = DatabaseName + ".new"
	NewSharesName   = SharesName + ".new"
)

const (
	// lockPatience covers the moment in which a stopping process still holds
	// the folder while its successor starts.
	lockPatience = 500 * time.Millisecond
	lockInterval = 25 * time.Millisecond
)

// Folder is a data folder that this process owns until Close.
type Folder struct {
	// Created reports that OpenFolder created the folder.
	Created bool

	dir      string
	handle   *os.File
	warnings []string

	space *disk.Space // nil before Open and if no limit is set
	// facts says what the system says of a file; nil for the system's answer. Set by
	// tests.
	facts func(path string) (is facts, ok bool)

	mu     sync.Mutex
	closed bool
	store  *Store
	shares *sharefile.File
}

// OpenFolder creates dir if it is missing and locks it for this process. It
// returns ErrLocked if another process still holds it after half a second, and
// refuses a folder that other users can access.
func OpenFolder(dir string) (*Folder, error) {
	created, err := makeFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("creating data folder: %w", err)
	}
	handle, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("opening data folder: %w", err)
	}
	f := &Folder{Created: created, dir: dir, handle: handle}
	if err := f.checkAndLock(); err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return f, nil
}

// LockFolder locks a folder whose files are read or rewritten while nothing serves it,
// whatever its mode is. It leaves no trace: no time of access where the system allows
// that. It returns ErrLocked as OpenFolder does. The caller closes the folder, and does not
// open it.
func LockFolder(dir string) (*Folder, error) {
	handle, err := OpenQuietly(dir)
	if err != nil {
		return nil, fmt.Errorf("opening data folder: %w", err)
	}
	f := &Folder{dir: dir, handle: handle, warnings: warningsOf(handle)}
	info, err := handle.Stat()
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%w: %s", errNotAFolder, dir)
	}
	if err == nil {
		err = f.lock()
	}
	if err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return f, nil
}

// Path returns the path of the file name in the folder.
func (f *Folder) Path(name string) string {
	return filepath.Join(f.dir, name)
}

// Warnings returns a sentence for each property of the folder's file system
// that weakens Hush's promises. It is empty on a plain local disk.
func (f *Folder) Warnings() []string {
	return append([]string(nil), f.warnings...)
}

// Exists reports whether the folder holds a database.
func (f *Folder) Exists() (bool, error) {
	return f.Holds(DatabaseName)
}

// HasDiskSpace reports whether the folder may take more: the free bytes of the
// disk plus the free pages of the database are at least Options.MinFree, and
// what the next reveals and burns may need exists, as ballast or as free pages.
// It is cheap: it queries the system at most once a second. If the free space
// is unknown, it returns true.
func (f *Folder) HasDiskSpace() bool { return f.space.HasRoom() }

// BallastDropped reports whether the ballast is missing because the disk is full.
func (f *Folder) BallastDropped() bool { return f.space.BallastDropped() }

// Close closes the store and the shares, in this order, if they are still open,
// and releases the folder. Further calls do nothing.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	var errs []error
	if f.store != nil {
		errs = append(errs, f.store.Close(), f.shares.Close())
	}
	// Closing the descriptor alone would leave the lock to its copies: a child
	// process has one until it runs exec.
	errs = append(errs, unix.Flock(int(f.handle.Fd()), unix.LOCK_UN), f.handle.Close())
	return errors.Join(errs...)
}

// checkAndLock checks the folder and takes its lock.
func (f *Folder) checkAndLock() error {
	info, err := f.handle.Stat()
	if err != nil {
		return fmt.Errorf("reading mode of data folder: %w", err)
	}
	if err := checkMode(f.dir, info); err != nil {
		return err
	}
	if f.warnings, err = fileSystemWarnings(f.handle); err != nil {
		return fmt.Errorf("reading file system of data folder: %w", err)
	}
	return f.lock()
}

// checkMode refuses what is no folder, and a folder that other users can access.
func checkMode(dir string, info fs.FileInfo) error {
	if !info.IsDir() {
		return fmt.Errorf("%w: %s", errNotAFolder, dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%w: %s", errOpenToOthers, storage.AdviseMode(dir, info, "hush"))
	}
	return nil
}

// CheckFolder returns the error with which OpenFolder refuses dir, as far as it
// shows without creating, opening or locking anything. It is nil for a folder that
// is missing, or that only another user sees.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening data folder: %w", err)
	}
	return checkMode(dir, info)
}

// CheckNew returns the error of OpenFolder for a folder without a database, and
// creates nothing.
func CheckNew(dir string) error {
	if found := disk.Nearest(dir); found != filepath.Clean(dir) {
		if err := unix.Access(found, unix.W_OK|unix.X_OK); err != nil {
			return fmt.Errorf("creating data folder %s: folder %s: %w", dir, found, err)
		}
		return nil
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		return err
	}
	return folder.Close()
}

// lock locks the folder's own descriptor, so that there is no lock file to be
// left behind or deleted by mistake.
func (f *Folder) lock() error {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(lockInterval) {
		err := unix.Flock(int(f.handle.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("locking data folder %s: %w", f.dir, err)
		case time.Now().After(deadline):
			return fmt.Errorf("data folder %s is %w", f.dir, ErrLocked)
		}
	}
}

// Holds reports whether the folder has a file of that name.
func (f *Folder) Holds(name string) (bool, error) {
	_, err := os.Lstat(f.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", name, err)
	}
	return true, nil
}

// Files lists the folder.
func (f *Folder) Files() ([]os.DirEntry, error) { return f.handle.ReadDir(-1) }

// FolderWarnings is Folder.Warnings for a folder that may be in use.
func FolderWarnings(dir string) []string {
	handle, err := OpenQuietly(dir)
	if err != nil {
		return []string{err.Error()}
	}
	defer handle.Close()
	return warningsOf(handle)
}

func warningsOf(folder *os.File) []string {
	warnings, err := fileSystemWarnings(folder)
	if err != nil {
		return []string{err.Error()}
	}
	return warnings
}

// Sync makes the names of the folder's files durable.
func (f *Folder) Sync() error {
	if err := f.handle.Sync(); err != nil {
		return fmt.Errorf("syncing data folder: %w", err)
	}
	return nil
}

// makeFolder creates dir and its parents durably, and reports whether dir was
// missing.
func makeFolder(dir string) (bool, error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if _, err := makeFolder(parent); err != nil {
		return false, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		// Another process may have been faster; the lock decides between them.
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return false, err
	}
	return true, syncFolder(parent)
}

func syncFolder(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}
