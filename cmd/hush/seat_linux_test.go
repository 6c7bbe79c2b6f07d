package main

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

// seat is the program at work on a terminal of its own.
type seat struct {
	t        *testing.T
	keyboard *os.File
	terminal *os.File
	shown    *output
	program  *exec.Cmd
}

// onTerminal starts the program on a terminal. Streams that are given are not the
// terminal's.
func onTerminal(t *testing.T, environment []string, stdin io.Reader, stderr io.Writer, args ...string) *seat {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append([]string{asProgram + "=1", "TERM=xterm", "PATH=" + t.TempDir()}, environment...)
	c.Stdin, c.Stderr = stdin, stderr
	return startOnTerminal(t, c)
}

// startOnTerminal starts a program whose terminal is a new one. So are its streams,
// unless they are set.
func startOnTerminal(t *testing.T, c *exec.Cmd) *seat {
	t.Helper()
	testtier.Check(t, "starts a program on a terminal")
	s := &seat{t: t, program: c}
	s.keyboard, s.terminal = openTerminal(t)
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
	s.shown = screen(s.keyboard)
	return s
}

// types sends keys once the screen has shown a prompt.
func (s *seat) types(prompt, keys string) {
	s.t.Helper()
	s.shown.waitFor(s.t, prompt)
	if _, err := io.WriteString(s.keyboard, keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends returns the exit code of the program, as a shell has it. The terminal must show again what is
// typed.
func (s *seat) ends() int {
	s.t.Helper()
	err := s.program.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if !echoes(s.t, s.terminal) {
		s.t.Error("terminal: got typing hidden for good, want it shown again")
	}
	return exitOf(s.program.ProcessState)
}

// exitOf returns an exit code as a shell has it: for a program that a signal ended, 128
// and its number.
func exitOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return program.Signalled + int(status.Signal())
	}
	return state.ExitCode()
}

var shownLink = regexp.MustCompile(`https?://[^ ]+/[es]#[0-9A-Za-z_-]+`)

// link returns the link that the screen shows, as a result that printed it.
func (s *seat) link() result {
	s.t.Helper()
	waitUntil(s.t, "a link", func() bool { return shownLink.MatchString(s.shown.String()) })
	return result{stdout: shownLink.FindString(s.shown.String()) + "\n"}
}
