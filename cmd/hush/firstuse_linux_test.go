package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client/otstest"
)

// A new user has a server that is not Hush, and speaks v1 alone. The first command asks
// which server to use, and whether, since it sees the text. Then a file is shared, a
// colleague opens it, the first terminal says so, and a program starts with two secrets.
func TestFirstUseOfOtherServer(t *testing.T) {
	t.Parallel()
	other := otstest.Start(t, otstest.Options{Release: otstest.ReleaseV1Only})
	mine, theirs := homeless(t), homeless(t)
	file := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(file, []byte("A=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sender := onTerminal(t, mine, nil, nil, "share", file, "--watch")
	sender.types("Which server, as in https://hush.example", other.URL+"\r")
	sender.types("speaks the Onetime Secret interface v1. It sees the text and the passphrase of every secret.", "")
	sender.types("Use it? (yes or no): ", "yes\r")
	link := strings.TrimSpace(firstUseLink(t, sender))
	sender.types("nothing is encrypted on this device, and the server sees the content", "")
	sender.types("waiting", "")

	recipient := onTerminal(t, theirs, nil, nil, "open", link)
	recipient.types("Use it? (yes or no): ", "yes\r")
	recipient.types("if its answer is lost, so is the secret", "")
	recipient.types("Passphrase, empty if it has none: ", "\r")
	recipient.types("A=1", "")
	if code := recipient.ends(); code != command.ExitOK {
		t.Errorf("hush open: got exit code %d, want 0; it showed:\n%s", code, recipient.shown)
	}
	sender.types("\r\x1b[Kopened ", "")
	if code := sender.ends(); code != command.ExitOK {
		t.Errorf("hush share --watch: got exit code %d, want 0; it showed:\n%s", code, sender.shown)
	}

	// The answer was kept: nothing is asked any more, and each share still says it.
	var links []string
	for _, text := range []string{"one", "two"} {
		got := call(t, mine, text, "share").want(t, "share", command.ExitOK, "the server sees the content")
		links = append(links, strings.TrimSpace(got.stdout))
	}
	start := onTerminal(t, append(mine, "PATH="+os.Getenv("PATH")), nil, nil, "run", "--secret", "ONE="+links[0], "--secret", "TWO="+links[1], "--", "sh", "-c", `echo "started with $ONE and $TWO"`)
	for _, name := range []string{"ONE", "TWO"} {
		start.types("Passphrase of "+name, "\r")
	}
	start.types("started with one and two", "")
	if code := start.ends(); code != command.ExitOK || other.Waiting() != 0 {
		t.Errorf("hush run: got exit code %d and %d secrets that wait, want 0 and none; it showed:\n%s", code, other.Waiting(), start.shown)
	}
}

// firstUseLink returns the link of another product that the screen shows.
func firstUseLink(t *testing.T, s *seat) string {
	t.Helper()
	link := func() string {
		for line := range strings.Lines(s.shown.String()) {
			if before, key, ok := strings.Cut(line, "/secret/"); ok && strings.HasPrefix(before, "http") && strings.HasSuffix(line, "\n") {
				return before + "/secret/" + key
			}
		}
		return ""
	}
	waitUntil(t, "a link", func() bool { return link() != "" })
	return link()
}
