package pending

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate keeps room for a file, whose length stays. It reports whether the file system can do that.
func allocate(file *os.File, size int64) (reserved bool, err error) {
	err = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return false, nil
	}
	return err == nil, err
}

// syncData returns once the bytes of a file last.
func syncData(file *os.File) error { return unix.Fdatasync(int(file.Fd())) }
