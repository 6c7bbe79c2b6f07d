// Package console is how commands talk to people: tables and other results on
// standard output, messages on standard error, where no script reads them, and
// files, passwords and other input from standard input.
package console

import (
	"fmt"
	"io"
	"log/slog"
	"os"
)

// Console is the standard streams of the program.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	// Log, unless nil, gets the messages, so that Err has lines of one format.
	Log *slog.Logger
}

// Tellf writes a message, a line.
func (c *Console) Tellf(format string, args ...any) {
	if c.Log != nil {
		c.Log.Info(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(c.Err, "hush: "+format+"\n", args...)
}

// Fail writes why the program ends, a line.
func (c *Console) Fail(err error) {
	if c.Log != nil {
		c.Log.Error(err.Error())
		return
	}
	fmt.Fprintf(c.Err, "hush: %v\n", err)
}

// Open opens a file, or takes standard input for "-".
func (c *Console) Open(name string) (file io.Reader, done func(), err error) {
	if name == "-" {
		return c.In, func() {}, nil
	}
	opened, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return opened, func() { _ = opened.Close() }, nil
}
