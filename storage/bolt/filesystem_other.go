//go:build !linux

package bolt

import "os"

// fileSystemWarnings knows file systems on Linux only.
func fileSystemWarnings(*os.File) ([]string, error) {
	return nil, nil
}
