package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/testtier"
)

// openTerminal returns both ends of a terminal: the user's and the program's.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs terminals: " + err.Error())
	}
	t.Cleanup(func() { keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("needs terminals: " + err.Error())
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("needs terminals: " + err.Error())
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs terminals: " + err.Error())
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}

// typing answers each prompt with the next line.
type typing struct {
	keyboard io.Writer
	lines    []string
	said     strings.Builder
	hidden   func() bool
	shown    bool
}

func (w *typing) Write(b []byte) (int, error) {
	w.said.Write(b)
	if strings.HasSuffix(string(b), ": ") && len(w.lines) > 0 {
		w.shown = w.shown || !w.hidden()
		if _, err := io.WriteString(w.keyboard, w.lines[0]+"\n"); err != nil {
			return 0, err
		}
		w.lines = w.lines[1:]
	}
	return len(b), nil
}

func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// A person looks over the operator's shoulder while he types a password.
func TestPasswordIsNotShown(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "hashes passwords at the real price")
	for name, c := range map[string]struct {
		lines []string
		code  int
		want  string
	}{
		"same":      {[]string{"correct horse battery", "correct horse battery"}, command.ExitOK, "created the account a@example.com"},
		"different": {[]string{"correct horse battery", "correct horse batteries"}, command.ExitFailure, "the two passwords differ"},
		"a tab":     {[]string{"correct\thorse battery", "correct\thorse battery"}, command.ExitFailure, "may not contain tabs"},
		"corrected": {[]string{"correct hose\x7f\x7frse battery", "correct horse battery"}, command.ExitOK, "created the account a@example.com"},
		"none":      {[]string{"", ""}, command.ExitOK, "it has no password"},
		"Ctrl-C":    {[]string{"correct\x03"}, command.ExitFailure, "interrupted; nothing was done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keyboard, terminal := openTerminal(t)
			person := &typing{keyboard: keyboard, lines: c.lines, hidden: func() bool { return !echoes(t, terminal) }}
			args := []string{"admin", "account", "create", "a@example.com", "--data", newFolder(t)}
			code := program.Run(t.Context(), args, nil, terminal, io.Discard, person)
			if said := person.said.String(); code != c.code || !strings.Contains(said, c.want) || !strings.Contains(said, "Password: ") {
				t.Errorf("hush admin account create: got %d and %s, want %d and %q", code, said, c.code, c.want)
			}
			if person.shown || !echoes(t, terminal) {
				t.Errorf("terminal: got typing shown %t, shown afterwards %t, want false and true", person.shown, echoes(t, terminal))
			}
		})
	}
}

// A folder that is missing is told before a password is typed.
func TestNoPromptWithoutAFolder(t *testing.T) {
	t.Parallel()
	_, terminal := openTerminal(t)
	said := newOutput()
	args := []string{"admin", "account", "create", "a@example.com", "--data", newFolder(t) + "s"}
	if code := program.Run(t.Context(), args, nil, terminal, io.Discard, said); code != command.ExitFailure {
		t.Errorf("hush admin account create: got exit code %d, want %d", code, command.ExitFailure)
	}
	if text := said.String(); !strings.Contains(text, "there is no data folder") || strings.Contains(text, "Password") {
		t.Errorf("hush admin account create: got %q, want that there is no folder, and no prompt", text)
	}
}

// A user who interrupts the prompt has a working terminal.
func TestInterruptedPrompt(t *testing.T) {
	t.Parallel()
	_, terminal := openTerminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	said := newOutput()
	ended := make(chan int)
	args := []string{"admin", "account", "create", "a@example.com", "--data", newFolder(t)}
	go func() { ended <- program.Run(ctx, args, nil, terminal, io.Discard, said) }()
	said.waitFor(t, "Password: ")
	cancel()
	if code := <-ended; code != command.ExitFailure {
		t.Errorf("hush admin account create, broken off: got exit code %d, want %d", code, command.ExitFailure)
	}
	if !echoes(t, terminal) {
		t.Error("terminal: got typing hidden for good, want it shown again")
	}
}
