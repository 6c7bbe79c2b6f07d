package bolt

import "golang.org/x/sys/unix"

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
