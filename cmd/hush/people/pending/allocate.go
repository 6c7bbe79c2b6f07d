package pending

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoRoom says that a disk has too little room.
var ErrNoRoom = errors.New("the disk has too little room")

// Allocate keeps room on the disk for a file of a length, which it gets when it is written,
// where the file system can do that. Elsewhere it only looks whether there is room. It
// returns ErrNoRoom.
func Allocate(file *os.File, size int64) error {
	if size <= 0 {
		return nil
	}
	reserved, err := allocate(file, size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	if err != nil || reserved {
		return err
	}
	var disk unix.Statfs_t
	if unix.Fstatfs(int(file.Fd()), &disk) == nil && int64(disk.Bavail) < size/int64(disk.Bsize) { //nolint:unconvert // their types differ by system
		return ErrNoRoom
	}
	return nil
}
