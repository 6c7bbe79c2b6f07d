package people

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hush/cli/console"
	"hush/cmd/hush/people/pending"
)

// rescue is notDelivered for a content that was revealed, where the caller has the content. If no
// later run can get it again, it saves the content as save does, and the error says where
// it is. The name is one for a file.
func (s *revealer) rescue(ctx context.Context, err error, content []byte, name string, folders ...string) error {
	if s.canRepeat() {
		return s.notDelivered(err)
	}
	where, saved := s.save(ctx, content, name, folders...)
	if !saved {
		return s.notDelivered(err)
	}
	return s.withName(fmt.Errorf("%w; it cannot be opened again, so the content is %s", withoutPromise(err), where))
}

// save saves a content that cannot be opened again, to a file for its owner only: under a
// free name in one of the folders, or in the folder for states, or in that for temporary
// files. Where none of them can be written, it shows it on the terminal. It returns where
// the content is, and false if it is nowhere.
func (s *revealer) save(ctx context.Context, content []byte, name string, folders ...string) (where string, saved bool) {
	if own, err := s.claims.RescueFolder(); err == nil {
		folders = append(folders, own)
	}
	for _, folder := range append(folders, os.TempDir()) {
		if path, err := saveUnderFreeName(folder, name, content); err == nil {
			s.acknowledge(context.WithoutCancel(ctx))
			return fmt.Sprintf("in the file %q, which only you can read", path), true
		}
	}
	if !s.console.ErrIsTerminal() {
		return "", false
	}
	s.tellf("the content can be saved nowhere, and it cannot be opened again, so here it is:\n%s", console.Printable(content))
	s.acknowledge(context.WithoutCancel(ctx))
	return "on this terminal alone", true
}

// saveUnderFreeName writes a content to a new file with a free name, so that a power cut does not
// undo it.
func saveUnderFreeName(folder, name string, content []byte) (path string, err error) {
	for number := 1; number <= pending.FreeNames; number++ {
		path = filepath.Join(folder, pending.FreeName(name, number))
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if _, err = file.Write(content); err == nil {
			err = file.Sync()
		}
		if err = errors.Join(err, file.Close()); err == nil {
			err = pending.SyncFolder(folder)
		}
		if err != nil {
			return "", errors.Join(err, os.Remove(path))
		}
		return path, nil
	}
	return "", fs.ErrExist
}

// withoutPromise is an error of a prompt without its words that nothing was done, which
// are wrong once a secret was opened.
func withoutPromise(err error) error {
	if !errors.Is(err, console.ErrInterrupted) {
		return err
	}
	return interruptedError{err}
}

type interruptedError struct{ error }

func (e interruptedError) Error() string {
	return strings.Replace(e.error.Error(), console.ErrInterrupted.Error(), "interrupted", 1)
}

func (e interruptedError) Unwrap() error { return e.error }
