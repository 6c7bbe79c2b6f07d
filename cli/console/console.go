// Package console is how commands talk to people: tables and other results on
// standard output, messages on standard error, where no script reads them, and
// files, passwords and other input from standard input.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// Console is the standard streams of the program.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	// Log, unless nil, gets the messages, so that Err has lines of one format.
	Log *slog.Logger
	// Terminal, unless nil, opens the terminal of the process, to ask on where In is
	// none. What it returns is closed after each prompt.
	Terminal func() (*os.File, error)

	keys keyboard
}

// Tellf writes a message, a line. One that cannot be written is lost.
func (c *Console) Tellf(format string, args ...any) { _ = c.TryTellf(format, args...) }

// TryTellf is Tellf for what exists nowhere else: it returns why it was not written.
func (c *Console) TryTellf(format string, args ...any) error {
	if c.Log != nil {
		c.Log.Info(fmt.Sprintf(format, args...))
		return nil
	}
	_, err := fmt.Fprintf(c.Err, "hush: "+format+"\n", args...)
	return err
}

// Fail writes why the program ends, a line.
func (c *Console) Fail(err error) {
	if c.Log != nil {
		c.Log.Error(err.Error())
		return
	}
	fmt.Fprintf(c.Err, "hush: %v\n", err)
}

// NameFolder returns the error for a new file that was not made: the plain one if the
// folder for it is missing.
func NameFolder(path string, err error) error {
	folder := filepath.Dir(path)
	if _, missing := os.Stat(folder); errors.Is(err, fs.ErrNotExist) && errors.Is(missing, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s", folder)
	}
	return err
}

// Open opens a file, or takes standard input for "-". Both may be a pipe that keeps it
// waiting, or a reader of the file: see Interruptible.
func (c *Console) Open(ctx context.Context, name string) (file io.Reader, done func(), err error) {
	if name == "-" {
		return &interruptibleReader{ctx: ctx, from: c.In}, func() {}, nil
	}
	opened, err := Interruptible(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, nil, err
	}
	return &interruptibleReader{ctx: ctx, from: opened}, func() { _ = opened.Close() }, nil
}
