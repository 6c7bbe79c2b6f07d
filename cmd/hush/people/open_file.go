package people

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// outputFile is the file that a content is written to. The content is in a temporary
// file beside it until all of it is on disk, and only then gets its name.
type outputFile struct {
	// path is the file, or until save the folder that it will be in.
	path      string
	isFolder  bool
	overwrite bool
	// keepDot: a name in the folder may begin with a dot.
	keepDot bool
	// mayBeThere: an earlier run may have written the file. wasSaved: it has the
	// very content.
	mayBeThere, wasSaved bool
	// leftovers are files of killed runs that may have a content.
	leftovers []string

	temporary     *os.File
	temporaryName string // of the temporary file; empty where it has none
	linkName      string // the name that one without a name gets for a moment
	// noteWhole, unless nil, is called when the temporary file has all of the content, before
	// it has or gets a name.
	noteWhole func(file, to string) error
}

// newOutputFile makes the temporary file for path, so that what would prevent writing is
// found before a secret is consumed. Without overwrite it refuses a file that exists,
// unless the content may be in it already.
func newOutputFile(path string, overwrite, mayBeThere bool) (*outputFile, error) {
	t := &outputFile{path: path, overwrite: overwrite, mayBeThere: mayBeThere}
	info, err := os.Stat(path)
	t.isFolder = err == nil && info.IsDir()
	if err := t.checkPath(); err != nil {
		return nil, err
	}
	t.leftovers = sweepFolder(t.folder())
	t.linkName = temporaryName(t.folder())
	if t.temporary, t.temporaryName, err = makeTemporary(t.folder()); err == nil {
		err = reserveRoom(t.temporary)
	}
	if err != nil {
		t.discard()
		return nil, fmt.Errorf("nothing can be written to %s: %w", t.folder(), console.NameFolder(path, err))
	}
	return t, nil
}

// folder returns the folder that the file is or will be in.
func (t *outputFile) folder() string {
	if t.isFolder {
		return t.path
	}
	return filepath.Dir(t.path)
}

// checkName refuses a folder in which a file with the name of a content would be
// refused, before the content is opened.
func (t *outputFile) checkName(content client.Content) error {
	if t == nil || !t.isFolder {
		return nil
	}
	path := filepath.Join(t.path, t.nameOf(content))
	if err := t.checkFree(path); err != nil {
		return fmt.Errorf("%w, or name another with --output %s", err, filepath.Join(t.path, "NAME"))
	}
	return nil
}

// checkPath refuses a path that is no folder and must not be written.
func (t *outputFile) checkPath() error {
	switch {
	case t.isFolder:
		return nil
	case strings.HasSuffix(t.path, string(filepath.Separator)):
		return fmt.Errorf("there is no folder %s", t.path)
	}
	return t.checkFree(t.path)
}

// checkFree refuses a path that must not be written. Only regular files are replaced:
// to put a file in the place of a device or a link would take it from all that use it.
func (t *outputFile) checkFree(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%q is a symbolic link, which is not replaced: name a file, or print with --output -", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a file, and is not replaced: name a file, or print with --output -", path)
	case !t.overwrite && !t.mayBeThere:
		return fileExists(path)
	default:
		return nil
	}
}

// errFileExists says that the file for a content is there already.
var errFileExists = errors.New("--overwrite replaces it")

func fileExists(path string) error { return fmt.Errorf("the file %q exists; %w", path, errFileExists) }

// reservedBytes is how much room a disk must have before a secret is consumed: no content is
// longer, and nothing says how long it is.
const reservedBytes = 4 << 20

// reserveRoom shows that there is room to write to, and keeps it where the system can.
func reserveRoom(file *os.File) error {
	if reserved, err := allocate(file, reservedBytes); reserved || err != nil {
		return err
	}
	if _, err := file.Write(make([]byte, reservedBytes)); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.Seek(0, 0)
	return err
}

// save writes a content and gives it its name, and returns once a power cut would
// not undo that. In a folder it takes a free name if that of the content is taken.
func (t *outputFile) save(content client.Content) error {
	name := filepath.Base(t.path)
	if t.isFolder {
		name = t.nameOf(content)
	}
	folder, names := t.folder(), 1
	if t.isFolder {
		names = pending.FreeNames
	}
	path, was := t.findSaved(name, names, content.Bytes)
	if t.wasSaved = was; !was {
		if err := t.write(content.Bytes, filepath.Join(folder, name)); err != nil {
			return err
		}
		var err error
		if path, err = t.publishFree(name, names); err != nil {
			return err
		}
	}
	t.path, t.isFolder = path, false
	return pending.SyncFolder(folder)
}

// findSaved finds the file in which an earlier run saved the very content, among so many
// names.
func (t *outputFile) findSaved(name string, names int, content []byte) (path string, was bool) {
	for number := 1; t.mayBeThere && number <= names; number++ {
		path = filepath.Join(t.folder(), pending.FreeName(name, number))
		if _, err := os.Lstat(path); err != nil {
			break
		}
		if hasContent(path, content) {
			return path, true
		}
	}
	return "", false
}

// publishFree gives the temporary file the first of so many names that is free.
func (t *outputFile) publishFree(name string, names int) (path string, err error) {
	for number := 1; number <= names; number++ {
		path = filepath.Join(t.folder(), pending.FreeName(name, number))
		if err = t.publish(path); !errors.Is(err, errFileExists) {
			break
		}
	}
	return path, err
}

// write writes a content to the temporary file, which is for a path.
func (t *outputFile) write(content []byte, to string) error {
	if _, err := t.temporary.Write(content); err != nil {
		return err
	}
	if err := t.temporary.Truncate(int64(len(content))); err != nil { // gives back what was kept
		return err
	}
	if err := t.temporary.Sync(); err != nil {
		return err
	}
	if t.noteWhole == nil || t.temporaryName == "" && !t.overwrite {
		return nil
	}
	return t.noteWhole(cmp.Or(t.temporaryName, t.linkName), to)
}

// noteInClaim notes the temporary file in the claim of a secret, before it has anything of the
// content: a kill may leave it. One without a name gets one only to replace a file.
func (t *outputFile) noteInClaim(s *revealer) error {
	if t == nil || t.temporaryName == "" && !t.overwrite {
		return nil
	}
	t.noteWhole = s.noteWhole
	return s.noteTemporary(cmp.Or(t.temporaryName, t.linkName))
}

// hasContent reports whether a file has the very content.
func hasContent(path string, content []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) {
		return false
	}
	has, err := os.ReadFile(path)
	defer clear(has)
	return err == nil && bytes.Equal(has, content)
}

// publish gives the temporary file its name.
func (t *outputFile) publish(path string) error {
	if !t.overwrite {
		err := t.link(path)
		switch {
		case errors.Is(err, fs.ErrExist):
			return fileExists(path)
		case err == nil && t.temporaryName != "":
			// A kill must not leave a second name, which the next run would finish.
			name := t.temporaryName
			t.temporaryName = ""
			return os.Remove(name)
		case err == nil || t.temporaryName == "":
			return err
		}
		// This file system has no links: there is a moment in which another program
		// could create the file.
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, fileExists(path))
		}
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fileExists(path) // it is there since checkFree, or the content brought its name
	}
	if t.temporaryName == "" {
		if err := t.link(t.linkName); err != nil {
			return err
		}
		t.temporaryName = t.linkName
	}
	if err := os.Rename(t.temporaryName, path); err != nil {
		return err
	}
	t.temporaryName = ""
	return nil
}

// discard removes the temporary file, and the name that it had beside its own.
func (t *outputFile) discard() {
	if t == nil || t.temporary == nil {
		return
	}
	if t.temporaryName != "" {
		_ = os.Remove(t.temporaryName)
	}
	_ = t.temporary.Close()
	t.temporary = nil
}

// sweepFolder removes empty temporary files that a killed run has left in a folder, and
// returns those that may have a content. Those of runs that are at work are locked.
func sweepFolder(folder string) (left []string) {
	names, err := filepath.Glob(filepath.Join(globEscape(folder), temporaryPrefix+"*"))
	if err != nil {
		return nil
	}
	for _, name := range names {
		file, err := os.OpenFile(name, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		info, err := file.Stat()
		if err == nil && info.Mode().IsRegular() && unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			if hasAnyContent(file) {
				left = append(left, name)
			} else {
				_ = os.Remove(name)
			}
		}
		_ = file.Close()
	}
	return left
}

// hasAnyContent reports whether a file has anything but what reserveRoom writes.
func hasAnyContent(file *os.File) bool {
	text, err := io.ReadAll(io.LimitReader(file, reservedBytes+1))
	defer clear(text)
	return err != nil || bytes.ContainsFunc(text, func(r rune) bool { return r != 0 }) || len(text) > reservedBytes
}

// globEscape makes a folder stand for itself in a pattern.
func globEscape(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}
