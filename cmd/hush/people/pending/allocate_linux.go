package pending

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate gives a file a length and room. It reports whether the file system can do that.
func allocate(file *os.File, size int64) (reserved bool, err error) {
	err = unix.Fallocate(int(file.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return false, nil
	}
	return err == nil, err
}

// syncData returns once the bytes of a file last.
func syncData(file *os.File) error { return unix.Fdatasync(int(file.Fd())) }
