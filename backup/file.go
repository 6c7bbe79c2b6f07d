package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// partial ends the name of a file that is not complete.
const partial = ".partial"

// ErrExists reports that a file is not overwritten.
var ErrExists = errors.New("the file exists already, and none is overwritten")

// File is a new file that gets its name once it is complete and durable. Only its
// owner may read it.
type File struct {
	*os.File

	name string
	done bool
}

// Create begins the file name, or returns ErrExists. Its folder must exist. The
// caller calls Discard.
func Create(name string) (*File, error) {
	if _, err := os.Lstat(name); err == nil {
		return nil, fmt.Errorf("%s: %w", name, ErrExists)
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*"+partial)
	if err != nil {
		return nil, err
	}
	return &File{File: file, name: name}, nil
}

// Commit makes the file durable and gives it its name, or returns ErrExists.
func (f *File) Commit() error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	err := os.Link(f.Name(), f.name) // which never overwrites
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", f.name, ErrExists)
	case err != nil: // a file system without links
		if _, err := os.Lstat(f.name); err == nil {
			return fmt.Errorf("%s: %w", f.name, ErrExists)
		}
		if err := os.Rename(f.Name(), f.name); err != nil {
			return err
		}
	default:
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
	}
	f.done = true
	return syncFolder(filepath.Dir(f.name))
}

// Discard closes the file and removes it, unless Commit has given it its name.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	err := os.Remove(f.Name())
	if closed := f.Close(); !errors.Is(closed, fs.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

func syncFolder(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}
