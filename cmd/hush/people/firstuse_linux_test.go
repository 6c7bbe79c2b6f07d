package people_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client/otstest"
	"hush/server/servertest"
)

// A new user has a server that is not Hush, and speaks v1 alone. The first command asks
// which server to use, and whether, since it sees the text. Then a file is shared, a
// colleague opens it, the first terminal says so, and a program starts with two secrets.
func TestFirstUseOfOtherServer(t *testing.T) {
	t.Parallel()
	other := otstest.Start(t, otstest.Options{Release: otstest.ReleaseV1Only})
	mine, theirs := servertest.Homeless(t), servertest.Homeless(t)
	file := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(file, []byte("A=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sender := servertest.OnTerminal(t, mine, nil, nil, "share", file, "--watch")
	sender.Types("Which server, as in https://hush.example", other.URL+"\r")
	sender.Types("speaks the Onetime Secret interface v1. It sees the text and the passphrase of every secret.", "")
	sender.Types("Use it? (yes or no): ", "yes\r")
	link := strings.TrimSpace(firstUseLink(t, sender))
	sender.Types("nothing is encrypted on this device, and the server sees the content", "")
	sender.Types("waiting", "")

	recipient := servertest.OnTerminal(t, theirs, nil, nil, "open", link)
	recipient.Types("Use it? (yes or no): ", "yes\r")
	recipient.Types("if its answer is lost, so is the secret", "")
	recipient.Types("Passphrase, empty if it has none: ", "\r")
	recipient.Types("A=1", "")
	if code := recipient.Ends(); code != command.ExitOK {
		t.Errorf("hush open: got exit code %d, want 0; it showed:\n%s", code, recipient.Shown)
	}
	sender.Types("\r\x1b[Kopened ", "")
	if code := sender.Ends(); code != command.ExitOK {
		t.Errorf("hush share --watch: got exit code %d, want 0; it showed:\n%s", code, sender.Shown)
	}

	// The answer was kept: nothing is asked any more, and each share still says it.
	var links []string
	for _, text := range []string{"one", "two"} {
		got := servertest.Call(t, mine, text, "share").Want(t, "share", command.ExitOK, "the server sees the content")
		links = append(links, strings.TrimSpace(got.Stdout))
	}
	start := servertest.OnTerminal(t, append(mine, "PATH="+os.Getenv("PATH")), nil, nil, "run", "--secret", "ONE="+links[0], "--secret", "TWO="+links[1], "--", "sh", "-c", `echo "started with $ONE and $TWO"`)
	for _, name := range []string{"ONE", "TWO"} {
		start.Types("Passphrase of "+name, "\r")
	}
	start.Types("started with one and two", "")
	if code := start.Ends(); code != command.ExitOK || other.Waiting() != 0 {
		t.Errorf("hush run: got exit code %d and %d secrets that wait, want 0 and none; it showed:\n%s", code, other.Waiting(), start.Shown)
	}
}

// firstUseLink returns the link of another product that the screen shows.
func firstUseLink(t *testing.T, s *servertest.Seat) string {
	t.Helper()
	link := func() string {
		for line := range strings.Lines(s.Shown.String()) {
			if before, key, ok := strings.Cut(line, "/secret/"); ok && strings.HasPrefix(before, "http") && strings.HasSuffix(line, "\n") {
				return before + "/secret/" + key
			}
		}
		return ""
	}
	servertest.WaitUntil(t, "a link", func() bool { return link() != "" })
	return link()
}
