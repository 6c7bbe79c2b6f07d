package admin_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/server/servertest"
	"hush/testtier"
)

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
			keyboard, terminal := servertest.OpenTerminal(t)
			person := &servertest.Typing{Keyboard: keyboard, Lines: c.lines, Hidden: func() bool { return !servertest.Echoes(t, terminal) }}
			args := []string{"admin", "account", "create", "a@example.com", "--data", servertest.NewFolder(t)}
			code := program.Run(t.Context(), args, nil, terminal, io.Discard, person)
			if said := person.Said.String(); code != c.code || !strings.Contains(said, c.want) || !strings.Contains(said, "Password: ") {
				t.Errorf("hush admin account create: got %d and %s, want %d and %q", code, said, c.code, c.want)
			}
			if person.Shown || !servertest.Echoes(t, terminal) {
				t.Errorf("terminal: got typing shown %t, shown afterwards %t, want false and true", person.Shown, servertest.Echoes(t, terminal))
			}
		})
	}
}

// A folder that is missing is told before a password is typed.
func TestNoPromptWithoutAFolder(t *testing.T) {
	t.Parallel()
	_, terminal := servertest.OpenTerminal(t)
	said := servertest.NewOutput()
	args := []string{"admin", "account", "create", "a@example.com", "--data", servertest.NewFolder(t) + "s"}
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
	_, terminal := servertest.OpenTerminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	said := servertest.NewOutput()
	ended := make(chan int)
	args := []string{"admin", "account", "create", "a@example.com", "--data", servertest.NewFolder(t)}
	go func() { ended <- program.Run(ctx, args, nil, terminal, io.Discard, said) }()
	said.WaitFor(t, "Password: ")
	cancel()
	if code := <-ended; code != command.ExitFailure {
		t.Errorf("hush admin account create, broken off: got exit code %d, want %d", code, command.ExitFailure)
	}
	if !servertest.Echoes(t, terminal) {
		t.Error("terminal: got typing hidden for good, want it shown again")
	}
}
