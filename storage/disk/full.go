package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"hush/storage"
)

// IsFull reports whether err is a write's error about a full disk. Only the
// write itself counts: after the same error from a sync the outcome is unknown.
func IsFull(err error) bool {
	var failed *fs.PathError
	if !errors.As(err, &failed) || (failed.Op != "write" && failed.Op != "truncate") {
		return false
	}
	return errors.Is(failed.Err, syscall.ENOSPC) || errors.Is(failed.Err, syscall.EDQUOT)
}

// WriteFailed says what a write was doing that failed with err, and makes the error of a
// full disk a storage.ErrFull. It returns nil for nil.
func WriteFailed(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case IsFull(err):
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrFull, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
