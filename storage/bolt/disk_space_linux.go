package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// diskFree returns what the disk below the folder has free for this user.
func diskFree(folder string) func() (int64, bool) {
	return func() (int64, bool) {
		var stat unix.Statfs_t
		if unix.Statfs(folder, &stat) != nil {
			return 0, false
		}
		return int64(stat.Bavail) * stat.Bsize, true
	}
}

// reserve gives a file room without writing it.
func reserve(file *os.File, size int64) error {
	return unix.Fallocate(int(file.Fd()), 0, 0, size)
}
