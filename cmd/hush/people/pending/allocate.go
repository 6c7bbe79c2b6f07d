package pending

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoRoom says that a disk has too little room.
var ErrNoRoom = errors.New("the disk has too little room")

// Allocate gives a file a length, and keeps room for it on the disk where the file system
// can. Elsewhere it only looks whether there is room. It returns ErrNoRoom.
func Allocate(file *os.File, size int64) error {
	if size <= 0 {
		return file.Truncate(0)
	}
	reserved, err := allocate(file, size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return errors.Join(ErrNoRoom, err)
	}
	if err != nil || reserved {
		return err
	}
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &disk); err == nil && int64(disk.Bavail) < size/int64(disk.Bsize) { //nolint:unconvert // their types differ by system
		return ErrNoRoom
	}
	return file.Truncate(size)
}
