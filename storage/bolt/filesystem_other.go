//go:build !linux

package bolt

import "os"

// fileSystemWarnings recognizes file systems only on Linux.
func fileSystemWarnings(*os.File) ([]string, error) {
	return nil, nil
}

// OpenQuietly opens a file to be read.
func OpenQuietly(path string) (*os.File, error) { return os.Open(path) }
