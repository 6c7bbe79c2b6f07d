package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hush/cli/command"
	"hush/cmd/hush/program"
)

// Who looks over the sender's shoulder sees how much she pastes, and nothing of it.
func TestTypedSecretIsNotShown(t *testing.T) {
	t.Parallel()
	p := newSender(t, startHush(t))
	for name, c := range map[string]struct{ keys, want, taken string }{
		"pasted":      {"\x1b[200~hunter2\rsecond\t\x15line\r\x1b[201~\x04", "hunter2\nsecond\t\x15line\n", "(2 lines, 21 characters)"},
		"typed":       {"hunter22\x7f\r\x04", "hunter2\n", "(1 line, 8 characters)"},
		"started":     {"hunter2\x04", "hunter2", "(1 line, 7 characters)"},
		"long":        {"\x1b[200~" + strings.Repeat("hunter2\r", 9000) + "\x1b[201~\x04", strings.Repeat("hunter2\n", 9000), "(9000 lines, 72000 characters)"},
		"typed ahead": {"hunter2 größe\x04exit\r", "hunter2 größe", "(1 line, 13 characters)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onTerminal(t, p.environment, nil, nil, "share")
			s.types("Ctrl-D ends it", c.keys)
			if code := s.ends(); code != command.ExitOK {
				t.Errorf("hush share: got exit code %d, want 0; it showed:\n%s", code, s.shown)
			}
			got := sender{t, p.s, nil}.open(s.link(), "").Content
			if string(got.Bytes) != c.want || got.IsFile {
				t.Errorf("Open: got %.100q, want %.100q", got.Bytes, c.want)
			}
			shown := s.shown.String()
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
	p := newSender(t, startHush(t))
	for keys, want := range map[string]string{
		"hunter2\x03":          "interrupted; nothing was done", // Ctrl-C
		"\x1b[200~hunter2\x03": "interrupted; nothing was done",
		"\x04":                 "there is nothing to share: nothing was typed",
		"hunter2\x15\x04":      "there is nothing to share: nothing was typed",
	} {
		s := onTerminal(t, p.environment, nil, nil, "share")
		s.types("Ctrl-D ends it", keys)
		code := command.ExitFailure
		if strings.HasSuffix(keys, "\x03") {
			code = program.Signalled + int(syscall.SIGINT)
		}
		if got := s.ends(); got != code {
			t.Errorf("hush share after %q: got exit code %d, want %d", keys, got, code)
		}
		s.shown.waitFor(t, want)
		if shown := s.shown.String(); strings.Contains(shown, "hunter") || shownLink.MatchString(shown) {
			t.Errorf("hush share after %q: got %q, want no secret and no link", keys, shown)
		}
	}
}

// The passphrase is asked for on the terminal of the process while a pipe has the
// content, even where standard error goes to a file.
func TestPassphrasePrompt(t *testing.T) {
	t.Parallel()
	p := newSender(t, startHush(t))
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
			s.types("Passphrase: ", "correct horse\r")
			s.types("The same again: ", "correct horse\r")
			if code := s.ends(); code != command.ExitOK {
				t.Errorf("hush share: got exit code %d, want 0; it showed:\n%s", code, s.shown)
			}
			if got := (sender{t, p.s, nil}).open(s.link(), "correct horse"); string(got.Content.Bytes) != "piped" {
				t.Errorf("Open: got %q, want what was piped", got.Content.Bytes)
			}
			if shown := s.shown.String(); strings.Contains(shown, "horse") {
				t.Errorf("screen: got %q, want no passphrase", shown)
			}
		})
	}
	s := promptFor(t, p, nil)
	s.types("Passphrase: ", "correct horse\r")
	s.types("The same again: ", "correct hose\r")
	if code := s.ends(); code != command.ExitFailure {
		t.Errorf("hush share with two passphrases: got exit code %d, want 1", code)
	}
	s.shown.waitFor(t, "the two passphrases differ; nothing was done")
}

func promptFor(t *testing.T, p sender, stderr *os.File) *seat {
	t.Helper()
	if stderr == nil {
		return onTerminal(t, p.environment, strings.NewReader("piped"), nil, "share", "--passphrase-prompt")
	}
	return onTerminal(t, p.environment, strings.NewReader("piped"), stderr, "share", "--passphrase-prompt")
}

// The receipt turns "delivered" in the terminal where the secret was shared.
func TestShareAndWatch(t *testing.T) {
	t.Parallel()
	p := newSender(t, startHush(t))
	s := onTerminal(t, p.environment, strings.NewReader("text"), nil, "share", "--watch")
	link := s.link()
	s.shown.waitFor(t, "waiting; expires in ")
	call(t, p.environment, link.stdout, "open", "-").want(t, "open", command.ExitOK)
	if code := s.ends(); code != command.ExitOK {
		t.Errorf("hush share --watch: got exit code %d, want 0; it showed:\n%s", code, s.shown)
	}
	s.shown.waitFor(t, "delivered: opened ")
}

func TestInterruptedShareAndWatch(t *testing.T) {
	t.Parallel()
	p := newSender(t, startHush(t))
	s := onTerminal(t, p.environment, strings.NewReader("text"), nil, "share", "--watch")
	s.types("waiting; expires in ", "\x03")
	if code := s.ends(); code != program.Signalled+int(syscall.SIGINT) {
		t.Errorf("hush share --watch, interrupted: got exit code %d, want that of Ctrl-C", code)
	}
	s.shown.waitFor(t, "interrupted; the secret still waits")
	p.open(s.link(), "")
}

// Without a tool of the system, as on a machine that is reached by SSH, the terminal
// is asked to copy.
func TestCopyByTerminal(t *testing.T) {
	t.Parallel()
	p := newSender(t, startHush(t))
	s := onTerminal(t, p.environment, strings.NewReader("text"), nil, "share", "--copy")
	if code := s.ends(); code != command.ExitOK {
		t.Errorf("hush share --copy: got exit code %d, want 0; it showed:\n%s", code, s.shown)
	}
	link := strings.TrimSpace(s.link().stdout)
	s.shown.waitFor(t, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(link))+"\a")
}

// What was copied leaves the clipboard in time, unless it has something else by then.
func TestClipboardIsCleared(t *testing.T) {
	t.Parallel()
	p := newSender(t, startHush(t))
	for also, want := range map[string]string{"": "", "printf other >\"$HELD\"": "other"} {
		tools := t.TempDir()
		held := filepath.Join(tools, "held")
		tool := "#!/bin/sh\ncase $1 in -out) " + also + "\ncat \"$HELD\" ;; *) cat >\"$HELD\" ;; esac\n"
		if err := os.WriteFile(filepath.Join(tools, "xclip"), []byte(tool), 0o700); err != nil {
			t.Fatal(err)
		}
		link := p.share("hunter2").want(t, "share", command.ExitOK).stdout
		environment := append([]string{"PATH=" + tools + ":/bin:/usr/bin", "HELD=" + held}, p.environment...)
		s := onTerminal(t, environment, strings.NewReader(link), nil, "open", "-", "--copy", "--copy-for=1h")
		s.shown.waitFor(t, "the clipboard is cleared in 3600 seconds")
		if got, err := os.ReadFile(held); err != nil || string(got) != "hunter2" {
			t.Errorf("clipboard: got %q and %v, want the secret", got, err)
		}
		s.types("Ctrl-C", "\x03")
		if code := s.ends(); code != command.ExitOK {
			t.Errorf("hush open --copy: got exit code %d, want 0; it showed:\n%s", code, s.shown)
		}
		if got, err := os.ReadFile(held); err != nil || string(got) != want {
			t.Errorf("clipboard afterwards: got %q and %v, want %q", got, err, want)
		}
		if shown := s.shown.String(); strings.Contains(shown, "hunter") {
			t.Errorf("screen: got %q, want nothing of the secret", shown)
		}
	}
}
