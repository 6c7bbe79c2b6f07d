package console

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/term"
)

// ErrNoTerminal is the error of a prompt where there is no terminal to ask on.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

// ErrInterrupted is the error of a prompt that was given up with Ctrl-C or by a
// signal. Commands ask before they act.
var ErrInterrupted = errors.New("interrupted; nothing was done")

// ErrGivenUp is the cause of the end of a command's context where Ctrl-C ended it, and not
// another signal. It is a context.Canceled.
var ErrGivenUp error = givenUpError{}

type givenUpError struct{}

func (givenUpError) Error() string        { return context.Canceled.Error() }
func (givenUpError) Is(target error) bool { return target == context.Canceled } //nolint:errorlint // as errors.Is wants it

// ErrCtrlC is ErrInterrupted for Ctrl-C at a prompt that does not show what is typed,
// where the terminal sends no signal for it.
var ErrCtrlC error = ctrlCError{}

type ctrlCError struct{}

func (ctrlCError) Error() string { return ErrInterrupted.Error() }
func (ctrlCError) Unwrap() error { return ErrInterrupted }

// ProcessTerminal opens the terminal of the process, whatever its standard streams
// are.
func ProcessTerminal() (*os.File, error) {
	if runtime.GOOS == "windows" {
		return os.OpenFile("CONIN$", os.O_RDWR, 0)
	}
	return os.OpenFile("/dev/tty", os.O_RDWR, 0)
}

// IsClosedOutput reports whether an error is that of writing to the standard output of the
// process, which no one reads. A connection that its other side closed is another error.
func IsClosedOutput(err error) bool {
	path, ok := errors.AsType[*fs.PathError](err)
	return ok && path.Path == os.Stdout.Name() && errors.Is(path.Err, syscall.EPIPE)
}

// OutIsTerminal reports whether standard output is a terminal.
func (c *Console) OutIsTerminal() bool { return isTerminal(c.Out) }

// ErrIsTerminal reports whether standard error is a terminal.
func (c *Console) ErrIsTerminal() bool { return isTerminal(c.Err) }

// InIsTerminal reports whether standard input is a terminal.
func (c *Console) InIsTerminal() bool { return isTerminal(c.In) }

// CanAsk reports whether there is a terminal to ask on: standard input, or else the
// terminal of the process, /dev/tty.
func (c *Console) CanAsk() bool {
	t, err := c.openTerminal()
	if err != nil {
		return false
	}
	t.close()
	return true
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminal is where a person reads prompts and types answers.
type terminal struct {
	keys    *keyboard
	in      *os.File
	out     io.Writer
	opened  []*os.File
	isShown bool // out is a terminal, which obeys escape sequences
}

// openTerminal returns the terminal to ask on, or ErrNoTerminal. Prompts stand on
// standard error, unless that goes to a file or a pipe.
func (c *Console) openTerminal() (*terminal, error) {
	t := &terminal{keys: &c.keys, out: c.Err}
	if c.InIsTerminal() {
		t.in, _ = c.In.(*os.File)
	} else {
		file, err := openOther(c.Terminal)
		if err != nil {
			return nil, err
		}
		t.in, t.opened = file, append(t.opened, file)
	}
	if _, isFile := c.Err.(*os.File); isFile && !c.ErrIsTerminal() && runtime.GOOS != "windows" {
		if file, err := openOther(c.Terminal); err == nil {
			t.out, t.opened = file, append(t.opened, file)
		}
	}
	t.isShown = isTerminal(t.out)
	return t, nil
}

// openOther opens a terminal that is none of the standard streams.
func openOther(open func() (*os.File, error)) (*os.File, error) {
	if open == nil {
		return nil, ErrNoTerminal
	}
	file, err := open()
	if err != nil {
		return nil, ErrNoTerminal
	}
	if !isTerminal(file) {
		_ = file.Close()
		return nil, ErrNoTerminal
	}
	return file, nil
}

func (t *terminal) close() {
	for _, file := range t.opened {
		_ = file.Close()
	}
}
