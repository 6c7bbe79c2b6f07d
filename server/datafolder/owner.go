package datafolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hush/storage/spentlog"
)

// owner is whose a file is.
type owner struct{ uid, gid uint32 }

func ownerOf(path string) (owner, error) {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return owner{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return owner{stat.Uid, stat.Gid}, nil
}

// HandOver gives the data files that root made to the folder's owner, so that
// the service, which runs as the owner, can go on using them. For any user but
// root, and without a folder, it does nothing.
func HandOver(folder string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	to, err := ownerOf(folder)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil || to.uid == 0 {
		return err
	}
	var errs []error
	for _, name := range []string{RootKeyName, DatabaseName, SharesName, BallastName} {
		errs = append(errs, handOverFile(filepath.Join(folder, name), to))
	}
	// No command begins a blob, so root has made nothing in it.
	errs = append(errs, handOver(filepath.Join(folder, FilesName), fs.ModeDir, to))
	return errors.Join(errs...)
}

// HandOverLog is HandOver for the folder of a spent log. What root made there goes
// to the owner of that folder. A folder of root's goes, with all in it, to the owner
// of the data folder.
func HandOverLog(log, folder string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	to, err := ownerOf(log)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	roots := err == nil && to.uid == 0
	if roots {
		to, err = ownerOf(folder)
	}
	if err != nil || to.uid == 0 {
		return err
	}
	segments, err := spentlog.Files(log)
	errs := []error{err}
	for _, path := range segments {
		errs = append(errs, handOverFile(path, to))
	}
	if roots { // last: whose the folder is may put links there
		errs = append(errs, handOver(log, fs.ModeDir, to))
	}
	return errors.Join(errs...)
}

// handOverFile changes the owner of a plain file of root's. Whose the folder is
// may put anything there, so it follows no link of either kind.
func handOverFile(path string, to owner) error { return handOver(path, 0, to) }

// handOver changes the owner of what root has of a kind: 0 for a plain file, or
// fs.ModeDir.
func handOver(path string, kind fs.FileMode, to owner) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Type() != kind || stat.Uid != 0 || kind == 0 && stat.Nlink != 1 {
		return nil
	}
	return file.Chown(int(to.uid), int(to.gid))
}

// Held reports whether another process holds a data folder. It ignores errors:
// opening the folder meets them again.
func Held(folder string) bool {
	handle, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer handle.Close()
	if err = unix.Flock(int(handle.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = unix.Flock(int(handle.Fd()), unix.LOCK_UN)
	}
	return errors.Is(err, unix.EWOULDBLOCK)
}

// Contains reports whether a path, of which the last part need not exist, is the
// folder or leads into it.
func Contains(folder, path string) bool {
	inside, err := filepath.Rel(resolved(folder), filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path)))
	return err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator))
}

// resolved returns the absolute path without links, as far as it exists.
func resolved(path string) string {
	path = absolute(path)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
