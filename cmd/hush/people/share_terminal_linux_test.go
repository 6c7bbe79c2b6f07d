package people_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/server/servertest"
)

// Who looks over the sender's shoulder sees how much she pastes, and nothing of it.
func TestTypedSecretIsNotShown(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	for name, c := range map[string]struct{ keys, want, taken string }{
		"pasted":      {"\x1b[200~hunter2\rsecond\t\x15line\r\x1b[201~\x04", "hunter2\nsecond\t\x15line\n", "(2 lines, 21 characters)"},
		"typed":       {"hunter22\x7f\r\x04", "hunter2\n", "(1 line, 8 characters)"},
		"started":     {"hunter2\x04", "hunter2", "(1 line, 7 characters)"},
		"long":        {"\x1b[200~" + strings.Repeat("hunter2\r", 9000) + "\x1b[201~\x04", strings.Repeat("hunter2\n", 9000), "(9000 lines, 72000 characters)"},
		"typed ahead": {"hunter2 größe\x04exit\r", "hunter2 größe", "(1 line, 13 characters)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.OnTerminal(t, p.environment, nil, nil, "share")
			s.Types("Ctrl-D ends it", c.keys)
			if code := s.Ends(); code != command.ExitOK {
				t.Errorf("hush share: got exit code %d, want 0; it showed:\n%s", code, s.Shown)
			}
			got := sender{t, p.s, nil}.open(s.Link(), "").Content
			if string(got.Bytes) != c.want || got.IsFile {
				t.Errorf("Open: got %.100q, want %.100q", got.Bytes, c.want)
			}
			shown := s.Shown.String()
			if strings.Contains(shown, "hunter") || !strings.Contains(shown, c.taken) {
				t.Errorf("screen: got %q, want %q and nothing of the secret", shown, c.taken)
			}
			if !strings.Contains(shown, "\x1b[?2004h") || !strings.Contains(shown, "\x1b[?2004l") {
				t.Errorf("screen: got %q, want pastes marked during the prompt alone", shown)
			}
		})
	}
}

func TestTypedSecretGivenUp(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	for keys, want := range map[string]string{
		"hunter2\x03":          "interrupted; nothing was done", // Ctrl-C
		"\x1b[200~hunter2\x03": "interrupted; nothing was done",
		"\x04":                 "there is nothing to share: nothing was typed",
		"hunter2\x15\x04":      "there is nothing to share: nothing was typed",
	} {
		s := servertest.OnTerminal(t, p.environment, nil, nil, "share")
		s.Types("Ctrl-D ends it", keys)
		code := command.ExitFailure
		if strings.HasSuffix(keys, "\x03") {
			code = program.Signalled + int(syscall.SIGINT)
		}
		if got := s.Ends(); got != code {
			t.Errorf("hush share after %q: got exit code %d, want %d", keys, got, code)
		}
		s.Shown.WaitFor(t, want)
		if shown := s.Shown.String(); strings.Contains(shown, "hunter") || servertest.ShownLink.MatchString(shown) {
			t.Errorf("hush share after %q: got %q, want no secret and no link", keys, shown)
		}
	}
}

// The passphrase is asked for on the terminal of the process while a pipe has the
// content, even where standard error goes to a file.
func TestPassphrasePrompt(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	for name, file := range map[string]string{"on standard error": "", "on the terminal": filepath.Join(t.TempDir(), "errors")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr *os.File
			if file != "" {
				var err error
				if stderr, err = os.Create(file); err != nil {
					t.Fatal(err)
				}
				defer stderr.Close()
			}
			s := promptFor(t, p, stderr)
			s.Types("Passphrase: ", "correct horse\r")
			s.Types("The same again: ", "correct horse\r")
			if code := s.Ends(); code != command.ExitOK {
				t.Errorf("hush share: got exit code %d, want 0; it showed:\n%s", code, s.Shown)
			}
			if got := (sender{t, p.s, nil}).open(s.Link(), "correct horse"); string(got.Content.Bytes) != "piped" {
				t.Errorf("Open: got %q, want what was piped", got.Content.Bytes)
			}
			if shown := s.Shown.String(); strings.Contains(shown, "horse") {
				t.Errorf("screen: got %q, want no passphrase", shown)
			}
		})
	}
	s := promptFor(t, p, nil)
	s.Types("Passphrase: ", "correct horse\r")
	s.Types("The same again: ", "correct hose\r")
	if code := s.Ends(); code != command.ExitFailure {
		t.Errorf("hush share with two passphrases: got exit code %d, want 1", code)
	}
	s.Shown.WaitFor(t, "the two passphrases differ; nothing was done")
}

func promptFor(t *testing.T, p sender, stderr *os.File) *servertest.Seat {
	t.Helper()
	if stderr == nil {
		return servertest.OnTerminal(t, p.environment, strings.NewReader("piped"), nil, "share", "--passphrase-prompt")
	}
	return servertest.OnTerminal(t, p.environment, strings.NewReader("piped"), stderr, "share", "--passphrase-prompt")
}

// The receipt turns "delivered" in the terminal where the secret was shared.
func TestShareAndWatch(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	s := servertest.OnTerminal(t, p.environment, strings.NewReader("text"), nil, "share", "--watch")
	link := s.Link()
	s.Shown.WaitFor(t, "waiting; expires in ")
	servertest.Call(t, p.environment, link.Stdout, "open", "-").Want(t, "open", command.ExitOK)
	if code := s.Ends(); code != command.ExitOK {
		t.Errorf("hush share --watch: got exit code %d, want 0; it showed:\n%s", code, s.Shown)
	}
	s.Shown.WaitFor(t, "delivered: opened ")
}

func TestInterruptedShareAndWatch(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	s := servertest.OnTerminal(t, p.environment, strings.NewReader("text"), nil, "share", "--watch")
	s.Types("waiting; expires in ", "\x03")
	if code := s.Ends(); code != program.Signalled+int(syscall.SIGINT) {
		t.Errorf("hush share --watch, interrupted: got exit code %d, want that of Ctrl-C", code)
	}
	s.Shown.WaitFor(t, "interrupted; the secret still waits")
	p.open(s.Link(), "")
}

// Without a tool of the system, as on a machine that is reached by SSH, the terminal
// is asked to copy.
func TestCopyByTerminal(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	s := servertest.OnTerminal(t, p.environment, strings.NewReader("text"), nil, "share", "--copy")
	if code := s.Ends(); code != command.ExitOK {
		t.Errorf("hush share --copy: got exit code %d, want 0; it showed:\n%s", code, s.Shown)
	}
	link := strings.TrimSpace(s.Link().Stdout)
	s.Shown.WaitFor(t, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(link))+"\a")
}

// What was copied leaves the clipboard in time, unless it has something else by then.
func TestClipboardIsCleared(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	for also, want := range map[string]string{"": "", "printf other >\"$HELD\"": "other"} {
		tools := t.TempDir()
		held := filepath.Join(tools, "held")
		tool := "#!/bin/sh\ncase $1 in -out) " + also + "\ncat \"$HELD\" ;; *) cat >\"$HELD\" ;; esac\n"
		if err := os.WriteFile(filepath.Join(tools, "xclip"), []byte(tool), 0o700); err != nil {
			t.Fatal(err)
		}
		link := p.share("hunter2").Want(t, "share", command.ExitOK).Stdout
		environment := append([]string{"PATH=" + tools + ":/bin:/usr/bin", "HELD=" + held}, p.environment...)
		s := servertest.OnTerminal(t, environment, strings.NewReader(link), nil, "open", "-", "--copy", "--copy-for=1h")
		s.Shown.WaitFor(t, "the clipboard is cleared in 3600 seconds")
		if got, err := os.ReadFile(held); err != nil || string(got) != "hunter2" {
			t.Errorf("clipboard: got %q and %v, want the secret", got, err)
		}
		s.Types("Ctrl-C", "\x03")
		if code := s.Ends(); code != command.ExitOK {
			t.Errorf("hush open --copy: got exit code %d, want 0; it showed:\n%s", code, s.Shown)
		}
		if got, err := os.ReadFile(held); err != nil || string(got) != want {
			t.Errorf("clipboard afterwards: got %q and %v, want %q", got, err, want)
		}
		if shown := s.Shown.String(); strings.Contains(shown, "hunter") {
			t.Errorf("screen: got %q, want nothing of the secret", shown)
		}
	}
}
