//go:build !linux

package people

import "errors"

// hasMemoryFiles reports whether there are files in memory that a program can open.
const hasMemoryFiles = false

// memoryFile is none: --file is refused before anything is consumed.
type memoryFile struct{}

func newMemoryFile([]byte) (memoryFile, error) { return memoryFile{}, errors.ErrUnsupported }

func (memoryFile) path() string { return "" }

func (memoryFile) close() {}
