package people

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"hush/cmd/hush/people/pending"
)

// temporaryPrefix begins the names of temporary files.
const temporaryPrefix = pending.TemporaryPrefix

// temporaryName returns a new name for a temporary file in a folder.
func temporaryName(folder string) string {
	return filepath.Join(folder, temporaryPrefix+rand.Text())
}

// makeTemporary makes a file in a folder for its owner only: one without a name where
// that is possible, which a kill leaves nothing of, or else a locked one.
func makeTemporary(folder string) (file *os.File, name string, err error) {
	if canBeNamed(folder) {
		if file, err = makeNameless(folder); err != nil {
			return nil, "", err
		}
		_ = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) // for the name that it may get
		return file, "", nil
	}
	return makeNamed(folder)
}

// canBeNamed reports whether files without a name can get one in a folder, with another
// such file: one that has lost its name does not get a second.
func canBeNamed(folder string) bool {
	file, err := makeNameless(folder)
	if err != nil {
		return false
	}
	defer file.Close()
	_ = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	name := temporaryName(folder)
	if linkNameless(file, name) != nil {
		return false
	}
	_ = os.Remove(name)
	return true
}

// makeNamed makes a locked file with a name.
func makeNamed(folder string) (file *os.File, name string, err error) {
	for {
		name = temporaryName(folder)
		file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, "", err
		}
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			if _, err := os.Lstat(name); err == nil {
				return file, name, nil
			}
		} else if !errors.Is(err, unix.EWOULDBLOCK) { // no locks here
			return file, name, nil
		}
		// Another run took it for one that was left, and removed it.
		_ = file.Close()
	}
}

// link gives the temporary file another name. It returns fs.ErrExist if something
// has that.
func (t *outputFile) link(path string) error {
	if t.temporaryName != "" {
		return os.Link(t.temporaryName, path)
	}
	if err := linkNameless(t.temporary, path); err != nil {
		return &fs.PathError{Op: "link", Path: path, Err: err}
	}
	return nil
}
