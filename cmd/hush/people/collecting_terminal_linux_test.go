package people_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
)

// A requester waits before a terminal. One line says for what, with the time that is left,
// and makes room for what follows.
func TestCollectWatchOnATerminal(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	seat := servertest.OnTerminal(t, r.Environment(), nil, nil, "collect", r.KeepLink(t, asked.Collect.Expose()), "--watch")
	seat.Shown.WaitFor(t, "\r\x1b[Khush: waiting for an answer to “Deploy key”: open, no answer yet; ends in 59 minutes")
	servertest.WaitUntil(t, "the line to be drawn again", func() bool { return strings.Count(seat.Shown.String(), "\r\x1b[Khush: waiting") > 2 })
	answered := a.answer(t, asked.Link, client.Content{Bytes: []byte("hello")}, "quick otter")
	seat.Types("Passphrase: ", "slow otter\n")
	seat.Types("save it as (Enter for its own name in this folder, - to print it): ", "-\n")
	seat.Types("4 tries are left before a pause\r\nPassphrase: ", "quick otter\n")
	seat.Shown.WaitFor(t, "\nhello")
	if code := seat.Ends(); code != command.ExitOK {
		t.Errorf("hush collect --watch: got exit code %d, want %d; it showed:\n%s", code, command.ExitOK, seat.Shown)
	}
	if shown := seat.Shown.String(); strings.Contains(shown, "otter") || !strings.Contains(shown, "\r\x1b[Khush: opening a secret") {
		t.Errorf("terminal: got %q, want no passphrase, and the line removed", shown)
	}
	a.WantDelivered(t, answered)
}

// A requester presses Ctrl-C: everything is as it was.
func TestCollectWatchIsInterrupted(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	seat := servertest.OnTerminal(t, r.Environment(), nil, nil, "collect", r.KeepLink(t, asked.Collect.Expose()), "--watch")
	seat.Types("waiting for an answer", "\x03")
	if code := seat.Ends(); code != 128+int(unix.SIGINT) {
		t.Errorf("hush collect --watch, interrupted: got exit code %d, want that of the signal; it showed:\n%s", code, seat.Shown)
	}
	seat.Shown.WaitFor(t, "interrupted; what was not opened waits, and the collect link is as good as before")
	answered := a.answerText(t, asked, "hello")
	if got := servertest.Call(t, r.Environment(), asked.Collect.Expose(), "collect", "-").Want(t, "collect", command.ExitOK); got.Stdout != "hello" {
		t.Errorf("hush collect: got %q, want the answer", got.Stdout)
	}
	a.WantDelivered(t, answered)
}

// A job is ended while it waits for a person. The next one goes on with the collect link, and
// the person has nothing to do twice.
func TestRunOfARequestIsInterrupted(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, a := startAsking(t)
	for _, signal := range []syscall.Signal{unix.SIGTERM, unix.SIGKILL} {
		r := servertest.NewRecipient(t)
		c := r.Program(t, "run", "--server="+s.URL, "--request", "A=Password", "--", "/bin/sh", "-c", "exit 9")
		said := servertest.NewOutput()
		c.Stderr = said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		said.WaitFor(t, "waiting for an answer")
		_ = c.Process.Signal(signal)
		_ = c.Wait()
		if code := servertest.ExitOf(c.ProcessState); code != 128+int(signal) {
			t.Errorf("hush run after %s: got exit code %d, want that of the signal; it wrote:\n%s", signal, code, said)
		}
		requests := filepath.Join(r.Home, ".local", "state", "hush", "requests")
		names := servertest.NamesIn(t, requests)
		if len(names) != 1 {
			t.Fatalf("files of requests: got %q, want one", names)
		}
		link, err := client.ParseRequestLink(regexp.MustCompile(`http://\S+/q#\S+`).FindString(said.String()))
		if err != nil {
			t.Fatal(err)
		}
		answered := a.answer(t, link, client.Content{Bytes: []byte("hello\n")}, "")
		again := r.Program(t, "run", "--secret", "A=@"+filepath.Join(requests, names[0]), "--", "/bin/sh", "-c", `printf %s "$A" >got`)
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("hush run again: got %v, want no error; it wrote:\n%s", err, out)
		}
		if got, err := os.ReadFile(filepath.Join(r.Folder, "got")); err != nil || string(got) != "hello" {
			t.Errorf("program: got %v and %q, want the answer", err, got)
		}
		if names := servertest.NamesIn(t, requests); len(names) > 0 {
			t.Errorf("files of requests: got %q, want none", names)
		}
		a.WantDelivered(t, answered)
	}
}
