package servertest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"

	"hush/cmd/hush/program"
	"hush/testtier"
)

// Seat is the program at work on a terminal of its own.
type Seat struct {
	t        *testing.T
	keyboard *os.File
	terminal *os.File
	Shown    *Output
	program  *exec.Cmd
}

// OnTerminal starts the program on a terminal. Streams that are given are not the
// terminal's.
func OnTerminal(t *testing.T, environment []string, stdin io.Reader, stderr io.Writer, args ...string) *Seat {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append([]string{AsProgram + "=1", "TERM=xterm", "PATH=" + t.TempDir()}, environment...)
	c.Stdin, c.Stderr = stdin, stderr
	return StartOnTerminal(t, c)
}

// StartOnTerminal starts a program whose terminal is a new one. So are its streams,
// unless they are set.
func StartOnTerminal(t *testing.T, c *exec.Cmd) *Seat {
	t.Helper()
	testtier.Check(t, "starts a program on a terminal")
	s := &Seat{t: t, program: c}
	s.keyboard, s.terminal = OpenTerminal(t)
	if c.Stdin == nil {
		c.Stdin = s.terminal
	}
	if c.Stderr == nil {
		c.Stderr = s.terminal
	}
	c.Stdout = s.terminal
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.Shown = Screen(s.keyboard)
	return s
}

// Types sends keys once the screen has shown a prompt.
func (s *Seat) Types(prompt, keys string) {
	s.t.Helper()
	s.Shown.WaitFor(s.t, prompt)
	if _, err := io.WriteString(s.keyboard, keys); err != nil {
		s.t.Fatal(err)
	}
}

// Ends returns the exit code of the program, as a shell has it. The terminal must show again what is
// typed.
func (s *Seat) Ends() int {
	s.t.Helper()
	err := s.program.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if !Echoes(s.t, s.terminal) {
		s.t.Error("terminal: got typing hidden for good, want it shown again")
	}
	return ExitOf(s.program.ProcessState)
}

// ExitOf returns an exit code as a shell has it: for a program that a signal ended, 128
// and its number.
func ExitOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return program.Signalled + int(status.Signal())
	}
	return state.ExitCode()
}

// ShownLink matches a link on a terminal.
var ShownLink = regexp.MustCompile(`https?://[^ ]+/[es]#[0-9A-Za-z_-]+`)

// Link returns the link that the screen shows, as a result that printed it.
func (s *Seat) Link() Result {
	s.t.Helper()
	WaitUntil(s.t, "a link", func() bool { return ShownLink.MatchString(s.Shown.String()) })
	return Result{Stdout: ShownLink.FindString(s.Shown.String()) + "\n"}
}
