//go:build !linux

package open

import (
	"errors"
	"os"
)

// makeNameless fails: only Linux has files without a name.
func makeNameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linkNameless fails, and is not reached.
func linkNameless(*os.File, string) error { return errors.ErrUnsupported }
