//go:build !linux

package people

import (
	"errors"
	"os"
)

// makeNameless fails: only Linux has files without a name.
func makeNameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linkNameless fails, and is not reached.
func linkNameless(*os.File, string) error { return errors.ErrUnsupported }

// allocate keeps nothing: only Linux can do that for all file systems.
func allocate(*os.File, int64) (reserved bool, err error) { return false, nil }
