package certificates

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Uses returns how many files each key of Seal sealed.
func (a *ACME) Uses() (map[[4]byte]int, error) {
	uses := make(map[[4]byte]int)
	err := a.store.each(func(_ string, sealed []byte) error {
		uses[a.opts.SealedBy(sealed)]++
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the folder of certificates: %w", err)
	}
	return uses, nil
}

// Reseal seals anew the files that another key than the present one sealed. Files
// that do not open stay as they are.
func (a *ACME) Reseal() error {
	f := a.store
	err := f.each(func(name string, sealed []byte) error {
		if a.opts.IsCurrent(sealed) {
			return nil
		}
		f.writing.Lock()
		defer f.writing.Unlock()
		sealed, err := f.readSealed(name) // it may have been replaced
		if err != nil || sealed == nil || a.opts.IsCurrent(sealed) {
			return ignoreMissing(err)
		}
		value, err := f.open(name, sealed)
		if err != nil {
			return nil // Load logs it, and another takes its place
		}
		return f.store(name, value)
	})
	if err != nil {
		return fmt.Errorf("sealing the files of certificates anew: %w", err)
	}
	return nil
}

// each calls fn with every sealed file.
func (f *folder) each(fn func(name string, sealed []byte) error) error {
	return fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, newSuffix) {
			return ignoreMissing(err)
		}
		sealed, err := f.readSealed(name)
		if err != nil || sealed == nil {
			return ignoreMissing(err)
		}
		return fn(name, sealed)
	})
}

// readSealed returns what is sealed in a file, or nil if it is of no version that
// this program knows.
func (f *folder) readSealed(name string) ([]byte, error) {
	content, err := fs.ReadFile(f.root.FS(), name)
	if err != nil || len(content) == 0 || content[0] != fileVersion {
		return nil, err
	}
	return content[1:], nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
