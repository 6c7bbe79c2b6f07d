//go:build !linux

package bolt

import (
	"errors"
	"os"
)

// diskFree does not know.
func diskFree(string) func() (int64, bool) { return func() (int64, bool) { return 0, false } }

// reserve leaves it to writing.
func reserve(*os.File, int64) error { return errors.ErrUnsupported }
