//go:build !linux

package bolt

import (
	"errors"
	"os"
)

// diskFree returns a function that reports unknown.
func diskFree(string) func() (int64, bool) { return func() (int64, bool) { return 0, false } }

// reserve is not supported: the caller writes the file instead.
func reserve(*os.File, int64) error { return errors.ErrUnsupported }
