package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// diskFree returns a function that reports the disk's free bytes for this user.
func diskFree(folder string) func() (int64, bool) {
	return func() (int64, bool) {
		var stat unix.Statfs_t
		if unix.Statfs(folder, &stat) != nil {
			return 0, false
		}
		return int64(stat.Bavail) * stat.Bsize, true
	}
}

// reserve allocates space for a file without writing it.
func reserve(file *os.File, size int64) error {
	return unix.Fallocate(int(file.Fd()), 0, 0, size)
}
