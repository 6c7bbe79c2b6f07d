package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// diskFree returns a function that reports the disk's free bytes for this user.
func diskFree(folder string) func() (int64, bool) {
	return func() (int64, bool) {
		var stat unix.Statfs_t
		if unix.Statfs(folder, &stat) != nil {
			return 0, false
		}
		// The types of both differ between systems. On FreeBSD Bavail is negative
		// when only root may take more.
		return max(int64(stat.Bavail), 0) * int64(stat.Bsize), true //nolint:unconvert // see above
	}
}

// FreeBytes returns the free bytes for this user of the disk of a folder, or of the
// nearest one above it if that does not exist. known is false if the system does
// not say.
func FreeBytes(dir string) (free int64, known bool) { return diskFree(Nearest(dir))() }

// Nearest returns the folder that exists and in which dir is, or would be.
func Nearest(dir string) string {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
