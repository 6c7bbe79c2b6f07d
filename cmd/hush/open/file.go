package open

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"hush/client"
	"hush/cmd/hush/console"
	"hush/cmd/hush/pending"
)

// target is the file that a content is written to. The content is in a temporary
// file beside it until all of it is on disk, and only then gets its name.
type target struct {
	// path is the file, or until save the folder that it will be in.
	path      string
	isFolder  bool
	overwrite bool
	// mayBeThere: an earlier run may have written the file. was: it has the very
	// content.
	mayBeThere, was bool

	temporary *os.File
	name      string // of the temporary file; empty where it has none
}

// newTarget makes the temporary file for path, so that what would prevent writing is
// found before a secret is consumed. Without overwrite it refuses a file that exists,
// unless the content may be in it already.
func newTarget(path string, overwrite, mayBeThere bool) (*target, error) {
	t := &target{path: path, overwrite: overwrite, mayBeThere: mayBeThere}
	info, err := os.Stat(path)
	t.isFolder = err == nil && info.IsDir()
	if !t.isFolder {
		if strings.HasSuffix(path, string(filepath.Separator)) {
			return nil, fmt.Errorf("there is no folder %s", path)
		}
		if err := t.checkFree(); err != nil {
			return nil, err
		}
	}
	sweepFolder(t.folder())
	if t.temporary, t.name, err = makeTemporary(t.folder()); err == nil {
		err = t.try()
	}
	if err != nil {
		t.discard()
		return nil, fmt.Errorf("nothing can be written to %s: %w", t.folder(), console.NameFolder(path, err))
	}
	return t, nil
}

// folder returns the folder that the file is or will be in.
func (t *target) folder() string {
	if t.isFolder {
		return t.path
	}
	return filepath.Dir(t.path)
}

// checkFree refuses a path that must not be written.
func (t *target) checkFree() error {
	info, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return fmt.Errorf("%s is not a file", t.path)
	case !t.overwrite && !t.mayBeThere:
		return t.exists()
	default:
		return nil
	}
}

func (t *target) exists() error {
	return fmt.Errorf("the file %q exists; --overwrite replaces it", t.path)
}

// tryBytes is how much room a disk must have before a secret is consumed. Nothing
// says how long its content is.
const tryBytes = 64 << 10

// try shows that there is room to write to.
func (t *target) try() error {
	if _, err := t.temporary.Write(make([]byte, tryBytes)); err != nil {
		return err
	}
	if err := t.temporary.Sync(); err != nil {
		return err
	}
	if err := t.temporary.Truncate(0); err != nil {
		return err
	}
	_, err := t.temporary.Seek(0, 0)
	return err
}

// save writes a content and gives it its name, and returns once a power cut would
// not undo that.
func (t *target) save(content client.Content) error {
	if t.isFolder {
		t.path, t.isFolder = filepath.Join(t.path, safeName(content)), false
	}
	if t.mayBeThere && t.holds(content.Bytes) {
		t.was = true
		return pending.SyncFolder(t.folder())
	}
	if _, err := t.temporary.Write(content.Bytes); err != nil {
		return err
	}
	if err := t.temporary.Sync(); err != nil {
		return err
	}
	if err := t.publish(); err != nil {
		return err
	}
	return pending.SyncFolder(t.folder())
}

// holds reports whether the file is there with the very content.
func (t *target) holds(content []byte) bool {
	info, err := os.Lstat(t.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) {
		return false
	}
	has, err := os.ReadFile(t.path)
	defer clear(has)
	return err == nil && bytes.Equal(has, content)
}

// publish gives the temporary file its name.
func (t *target) publish() error {
	if !t.overwrite {
		err := t.link(t.path)
		switch {
		case errors.Is(err, fs.ErrExist):
			return t.exists()
		case err == nil || t.name == "":
			return err
		}
		// This file system has no links: there is a moment in which another program
		// could create the file.
		if _, err := os.Lstat(t.path); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, t.exists())
		}
	}
	if t.name == "" {
		named := temporaryName(t.folder())
		if err := t.link(named); err != nil {
			return err
		}
		t.name = named
	}
	if err := os.Rename(t.name, t.path); err != nil {
		return err
	}
	t.name = ""
	return nil
}

// discard removes the temporary file, and the name that it had beside its own.
func (t *target) discard() {
	if t == nil || t.temporary == nil {
		return
	}
	if t.name != "" {
		_ = os.Remove(t.name)
	}
	_ = t.temporary.Close()
	t.temporary = nil
}

// sweepFolder removes temporary files that a killed run has left in a folder. Those
// of runs that are at work are locked.
func sweepFolder(folder string) {
	names, err := filepath.Glob(filepath.Join(globEscape(folder), temporaryPrefix+"*"))
	if err != nil {
		return
	}
	for _, name := range names {
		file, err := os.OpenFile(name, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.Remove(name)
		}
		_ = file.Close()
	}
}

// globEscape makes a folder stand for itself in a pattern.
func globEscape(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// safeName returns the file name that a sender gave, without what could surprise: it
// hides no file, is no option of a command, and is short enough for a disk.
func safeName(content client.Content) string {
	name := filepath.Base(filepath.Clean("/" + strings.ToValidUTF8(content.FileName, "_")))
	if name == string(filepath.Separator) {
		return "secret"
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == filepath.Separator || r == '\\' {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(name, ".- ")
	if name == "" {
		name = "secret"
	}
	return shorten(name)
}

// maxName is how long a file name may be on all disks, in bytes.
const maxName = 255

// shorten cuts a name and keeps its extension.
func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	extension := filepath.Ext(name)
	if len(extension) > maxName/4 {
		extension = ""
	}
	cut := maxName - len(extension)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + extension
}
