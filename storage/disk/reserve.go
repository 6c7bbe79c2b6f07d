package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"hush/storage"
)

// Reserve allocates the first size bytes of a file without writing them; the file has
// that length then, or more if it was longer. Without room for them it returns a
// storage.ErrFull and may have allocated a part. It returns an errors.ErrUnsupported, and
// has changed nothing, where the system or the file system cannot allocate.
func Reserve(file *os.File, size int64) error {
	for {
		err := reserve(file, size)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
			return fmt.Errorf("%w: %w", storage.ErrFull, err)
		default:
			return err
		}
	}
}
