//go:build !linux

package disk

import (
	"errors"
	"os"
)

// reserve is not supported: the caller writes the file instead.
func reserve(*os.File, int64) error { return errors.ErrUnsupported }
