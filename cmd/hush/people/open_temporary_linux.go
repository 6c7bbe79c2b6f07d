package people

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// makeNameless makes a file that is in a folder without a name. Not every file
// system has such.
func makeNameless(folder string) (*os.File, error) {
	file, err := os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(procPath(file)); err != nil { // /proc is not mounted
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// linkNameless gives such a file a name that nothing has.
func linkNameless(file *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, procPath(file), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

func procPath(file *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(file.Fd())) }

// allocate keeps room on the disk for a file, whose size stays. It reports whether the
// file system can do that.
func allocate(file *os.File, size int64) (reserved bool, err error) {
	err = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return false, nil
	}
	return err == nil, err
}
