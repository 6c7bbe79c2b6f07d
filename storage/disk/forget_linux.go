package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget makes the system read a part of a file from the disk next time.
func forget(file *os.File, at, size int64) error {
	return unix.Fadvise(int(file.Fd()), at, size, unix.FADV_DONTNEED)
}
