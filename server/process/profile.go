package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/pprof"
	"syscall"
)

// CheckProfile returns an error if WriteProfile cannot create a file at path,
// because its folder is missing or it is a folder itself.
func CheckProfile(path string) error {
	if path == "" {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err == nil && !folder.IsDir() {
		err = &os.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if file, wrong := os.Stat(path); wrong == nil && file.IsDir() {
		err = &os.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	if err == nil || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("writing a profile: %w", err)
}

// WriteProfile writes a CPU profile to path until the function that it returns is
// called. Without a path it does nothing.
func WriteProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("writing a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, fmt.Errorf("writing a profile: %w", err)
	}
	return func() { pprof.StopCPUProfile(); _ = file.Close() }, nil
}
