package people_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
)

// A responder is shown what is asked for, then types. Nothing of the link or of the answer
// is on the screen.
func TestAnswerOnATerminal(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	seat := servertest.OnTerminal(t, r.Environment(), nil, nil, "answer", "--passphrase-prompt")
	seat.Types("Link: ", asked.Link.Expose()+"\r")
	seat.Shown.WaitFor(t, "request  “Deploy key”")
	seat.Types("Ctrl-D ends it", "hunter2\x04")
	seat.Types("Passphrase: ", "quick otter\r")
	seat.Types("The same again: ", "quick otter\r")
	seat.Shown.WaitFor(t, "hush: receipt: http://")
	if code := seat.Ends(); code != command.ExitOK {
		t.Errorf("hush answer: got exit code %d, want 0; it showed:\n%s", code, seat.Shown)
	}
	if got := a.opened(t, asked, "quick otter"); string(got.Bytes) != "hunter2" || got.IsFile {
		t.Errorf("Open: got %q, want what was typed", got.Bytes)
	}
	shown := seat.Shown.String()
	for _, hidden := range []string{"hunter2", "otter", asked.Link.Expose(), "Send the answer?"} {
		if strings.Contains(shown, hidden) {
			t.Errorf("screen: got %q, want no %q", shown, hidden)
		}
	}
}

// What was not typed after the request was shown is sent after a yes alone.
func TestAnswerAsksBeforeItSends(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	file := filepath.Join(t.TempDir(), "id_ed25519")
	if err := os.WriteFile(file, []byte("key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct {
		stdin  string
		answer string
		args   []string
		code   int
	}{
		{"", "no\r", []string{file}, command.ExitFailure},
		{"piped", "\r", nil, command.ExitFailure},
		{"", "yes\r", []string{file}, command.ExitOK},
	} {
		seat := servertest.OnTerminal(t, r.Environment(), inputOf(call.stdin), nil, append([]string{"answer", asked.Link.Expose()}, call.args...)...)
		seat.Types("Send the answer? (yes or no): ", call.answer)
		if code := seat.Ends(); code != call.code {
			t.Errorf("hush answer, %q: got exit code %d, want %d; it showed:\n%s", call.answer, code, call.code, seat.Shown)
		}
		if call.code != command.ExitOK {
			seat.Shown.WaitFor(t, "nothing was sent")
		}
	}
	if got := a.opened(t, asked, ""); string(got.Bytes) != "key\n" || got.FileName != "id_ed25519" {
		t.Errorf("Open: got %q and the name %q, want the file", got.Bytes, got.FileName)
	}
}

// inputOf is a pipe with a text; nil, and so the terminal, for none.
func inputOf(text string) io.Reader {
	if text == "" {
		return nil
	}
	return strings.NewReader(text)
}

// Ctrl-C at the prompt sends nothing, and the place stays free.
func TestAnswerGivenUp(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	seat := servertest.OnTerminal(t, r.Environment(), nil, nil, "answer", asked.Link.Expose())
	seat.Types("Ctrl-D ends it", "hunter2\x03")
	seat.Ends()
	seat.Shown.WaitFor(t, "interrupted; nothing was done")
	found, err := a.requests.Collect(t.Context(), asked.Collect)
	if err != nil || found.Request.State != client.RequestOpen || len(found.Answers) > 0 {
		t.Errorf("Collect: got %d answers of a request that is %v, and %v, want none", len(found.Answers), found.Request.State, err)
	}
}
