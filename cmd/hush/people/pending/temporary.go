package pending

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TemporaryPrefix begins the names of temporary files with contents.
const TemporaryPrefix = ".hush-open-"

// temporary is a file beside the one for a content, which gets the content before its
// name. A kill may leave it, and then a later run finishes or removes it.
type temporary struct {
	File string `json:"file"`
	// To is the file that the content is for; empty until File has all of it.
	To string `json:"to,omitempty"`
	// Fetch says more of a file that is fetched in parts; nil for others.
	Fetch *fetchedInode `json:"fetch,omitempty"`
	// Bytes has both paths where one is no UTF-8, which a JSON string cannot hold. A
	// program that does not know it finds neither file.
	Bytes *pathBytes `json:"bytes,omitempty"`
}

// pathBytes are the paths of a temporary as the system has them.
type pathBytes struct {
	File []byte `json:"file"`
	To   []byte `json:"to"`
}

// encode returns the line of a record that notes t.
func (t temporary) encode() ([]byte, error) {
	if !utf8.ValidString(t.File) || !utf8.ValidString(t.To) {
		t = temporary{Fetch: t.Fetch, Bytes: &pathBytes{[]byte(t.File), []byte(t.To)}}
	}
	return json.Marshal(t)
}

// decode is the inverse of encode.
func (t *temporary) decode(text []byte) error {
	if err := json.Unmarshal(text, t); err != nil || t.Bytes == nil {
		return err
	}
	*t = temporary{Fetch: t.Fetch, File: string(t.Bytes.File), To: string(t.Bytes.To)}
	return nil
}

// NoteTemporary notes the path of a temporary file, before it has anything of the
// content. It returns once a power cut would not undo that. It does nothing for a claim
// in memory.
func (c *Claim) NoteTemporary(file string) error { return c.note(temporary{File: file}) }

// NoteWhole notes that a temporary file has all of the content, and which file that is
// for, before it is renamed.
func (c *Claim) NoteWhole(file, to string) error { return c.note(temporary{File: file, To: to}) }

func (c *Claim) note(t temporary) error {
	if !c.IsPersisted() {
		return nil
	}
	var err error
	for _, path := range []*string{&t.File, &t.To} {
		if *path != "" && err == nil {
			*path, err = filepath.Abs(*path)
		}
	}
	if err != nil {
		return err
	}
	line, err := t.encode()
	if err != nil {
		return err
	}
	return c.append("temporary " + string(line) + "\n")
}

// append writes behind what the file has, and returns once that lasts.
func (c *Claim) append(line string) error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if _, err := c.file.WriteAt([]byte(line), info.Size()); err != nil {
		return err
	}
	return c.file.Sync()
}

// addTemporary adds what a line of a record says of a temporary file.
func (r *record) addTemporary(text []byte) {
	var t temporary
	if t.decode(text) != nil || !filepath.IsAbs(t.File) || !strings.HasPrefix(filepath.Base(t.File), TemporaryPrefix) {
		return
	}
	for i, one := range r.temporaries {
		if one.File == t.File {
			if t.Fetch == nil {
				t.Fetch = one.Fetch
			}
			r.temporaries[i] = t
			return
		}
	}
	r.temporaries = append(r.temporaries, t)
}

// HasTemporary reports whether an earlier run noted a temporary file.
func (c *Claim) HasTemporary(file string) bool {
	file, err := filepath.Abs(file)
	for _, t := range c.temporaries {
		if err == nil && t.File == file {
			return true
		}
	}
	return false
}

// DropTemporaries removes the temporary files that earlier runs left: the content is safe
// elsewhere.
func (c *Claim) DropTemporaries() {
	for _, t := range c.temporaries {
		if t.isLeft() {
			_ = os.Remove(t.File)
		}
	}
	c.temporaries = nil
}

// FinishTemporaries finishes what earlier runs were cut off from, since the content
// cannot be asked for again. It returns what to tell of it.
func (c *Claim) FinishTemporaries() (messages []string) {
	for _, t := range c.temporaries {
		messages = append(messages, t.settle()...)
	}
	c.temporaries = nil
	return messages
}

// isLeft reports whether the file is still there, and is one.
func (t temporary) isLeft() bool {
	info, err := os.Lstat(t.File)
	return err == nil && info.Mode().IsRegular()
}

// isFetched reports whether the file is fetched in parts, and has not all of the content:
// it is left for the run that goes on.
func (t temporary) isFetched() bool { return t.Fetch != nil && t.To == "" }

// isPublished reports whether the file has its name, and the temporary one was only
// not removed.
func (t temporary) isPublished() bool {
	file, err := os.Lstat(t.File)
	if err != nil {
		return false
	}
	to, err := os.Lstat(t.To)
	return err == nil && os.SameFile(file, to)
}

// settle removes a temporary file that has no content, or not all of it. One that has
// all of it gets the name that it was for, or a free one like it.
func (t temporary) settle() (messages []string) {
	switch {
	case !t.isLeft():
		return nil
	case t.To == "" || t.isPublished():
		_ = os.Remove(t.File)
		return nil
	}
	path, err := publishFree(t.File, t.To)
	if err != nil {
		return []string{fmt.Sprintf("a run that was cut off left the content of a secret in %q: %v", t.File, err)}
	}
	return []string{fmt.Sprintf("a run that was cut off had the content of a secret; it is in %q now", path)}
}

// publishFree gives a file another name, that of to or a free one like it.
func publishFree(file, to string) (path string, err error) {
	folder, name := filepath.Split(to)
	for number := 1; number <= FreeNames; number++ {
		path = filepath.Join(folder, FreeName(name, number))
		err = os.Link(file, path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Remove(file)
		} else if _, missing := os.Lstat(path); errors.Is(missing, fs.ErrNotExist) { // no links here
			err = os.Rename(file, path)
		}
		break
	}
	return path, errors.Join(err, SyncFolder(filepath.Clean(folder)))
}

// NameLength is how long a file name may be on all disks, in bytes.
const NameLength = 255

// FreeNames is how many names are tried in a folder.
const FreeNames = 1000

// FreeName returns the name to try after number-1 others were taken: the name itself
// first, and then notes-2.txt, notes-3.txt and so on.
func FreeName(name string, number int) string {
	if number <= 1 {
		return name
	}
	extension := filepath.Ext(name)
	if len(extension) > NameLength/4 || extension == name { // .env is no extension
		extension = ""
	}
	stem, end := strings.TrimSuffix(name, extension), "-"+strconv.Itoa(number)+extension
	cut := min(len(stem), NameLength-len(end))
	for cut > 0 && cut < len(stem) && !utf8.RuneStart(stem[cut]) {
		cut--
	}
	return stem[:cut] + end
}
