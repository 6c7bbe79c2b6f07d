package people

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hush/cli/command"
	"hush/cli/console"
)

// linkFile is the file of a flag for a link that goes nowhere else, such as
// --receipt-file. It is made before anything is sent, so that the link always has its
// place.
type linkFile struct {
	file *os.File
	err  error // why it does not have all links
}

// createLinkFile makes the file of a flag, which only its owner may read. It returns nil
// without a name. It overwrites no file.
func createLinkFile(flag, name string) (*linkFile, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, command.Usage("--%s: the file %s exists already, and hush overwrites none", flag, name)
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, console.NameFolder(name, err))
	}
	return &linkFile{file: file}, nil
}

// write writes all links so far, a line each, so that a power cut does not undo it.
func (f *linkFile) write(links ...string) error {
	var text []byte
	for _, link := range links {
		text = append(text, link+"\n"...)
	}
	if _, err := f.file.WriteAt(text, 0); err != nil {
		return err
	}
	return errors.Join(f.file.Truncate(int64(len(text))), f.file.Sync())
}

// remove removes the file if nothing was made that has a link.
func (f *linkFile) remove() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.file.Close(), os.Remove(f.file.Name()))
}
