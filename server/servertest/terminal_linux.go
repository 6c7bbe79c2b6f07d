package servertest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// OpenTerminal returns both ends of a terminal: the user's and the program's. It skips
// the test on a system that has no terminals, or gives the test none.
func OpenTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		t.Skip("needs terminals: " + err.Error())
	}
	if err != nil {
		t.Fatalf("opening a terminal: got %v, want no error", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatalf("number of the terminal: got %v, want one", err)
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatalf("unlocking the terminal: got %v, want no error", err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("opening the program's end: got %v, want no error", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}

// Typing answers each prompt with the next line.
type Typing struct {
	Keyboard io.Writer
	Lines    []string
	Said     strings.Builder
	Hidden   func() bool
	Shown    bool
}

// Write implements io.Writer.
func (w *Typing) Write(b []byte) (int, error) {
	w.Said.Write(b)
	if strings.HasSuffix(string(b), ": ") && len(w.Lines) > 0 {
		w.Shown = w.Shown || !w.Hidden()
		if _, err := io.WriteString(w.Keyboard, w.Lines[0]+"\n"); err != nil {
			return 0, err
		}
		w.Lines = w.Lines[1:]
	}
	return len(b), nil
}

// Echoes reports whether a terminal shows what is typed.
func Echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// Screen keeps what a program writes to a terminal.
func Screen(keyboard io.Reader) *Output {
	shown := NewOutput()
	go func() { _, _ = io.Copy(shown, keyboard) }()
	return shown
}
