package profile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxFile is the maximum bytes of a file of this package.
const maxFile = 1 << 20

// errNoFolder is returned where the environment names no folder for configuration.
var errNoFolder = errors.New("there is no folder for profiles: neither HOME nor XDG_CONFIG_HOME is set")

// folderOf returns the folder of an environment for profiles: that of
// os.UserConfigDir, and in it "hush". It returns an empty text if the environment
// names no home.
func folderOf(environment []string) string {
	if folder := lookup(environment, "XDG_CONFIG_HOME"); runtime.GOOS != "darwin" && filepath.IsAbs(folder) {
		return filepath.Join(folder, "hush")
	}
	home := lookup(environment, "HOME")
	switch {
	case !filepath.IsAbs(home):
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "hush")
	default:
		return filepath.Join(home, ".config", "hush")
	}
}

// lookup returns the value of a variable; the last one counts.
func lookup(environment []string, name string) (value string) {
	for _, entry := range environment {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}

// readFile returns the content of a file, and nil if there is none. It refuses a
// file that another user owns or may change: it would decide which server gets the
// user's secrets. It never waits for the other end of a named pipe, but refuses it.
func readFile(path string) ([]byte, fs.FileMode, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	if err := checkOwner(path, info); err != nil {
		return nil, 0, err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxFile)
	}
	return content, info.Mode().Perm(), err
}

func checkOwner(path string, info fs.FileInfo) error {
	status, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case ok && int(status.Uid) != os.Geteuid() && status.Uid != 0:
		return fmt.Errorf("%s belongs to another user: hush does not use it", path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("other users of this machine may change %s: run chmod 0600 on it", path)
	}
	return nil
}

// replaceFile replaces a file by one that only the user can read. If the path is a
// link, that is the file behind it. A program that ends meanwhile leaves the old
// file or the new one.
func replaceFile(path string, content []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// lockFolder makes the folder if it is missing, and waits until no other program
// writes in it.
func lockFolder(path string) (unlock func(), err error) {
	if path == "" {
		return nil, errNoFolder
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), folder.Close())
	}
	return func() { _ = folder.Close() }, nil
}
