package people_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/client/protocols"
	"hush/cmd/hush/program"
	"hush/server/servertest"
)

// shareFor shares a text as a device does, and keeps the link of its receipt in a
// file.
func shareFor(t *testing.T, s *servertest.Server) (c *client.Client, shared client.Shared, receipt string) {
	t.Helper()
	c, err := protocols.New(s.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shared, err = c.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}, Label: "a\x1blabel"})
	if err != nil {
		t.Fatalf("Share: got %v, want no error", err)
	}
	receipt = filepath.Join(t.TempDir(), "receipt")
	if err := os.WriteFile(receipt, []byte(shared.ReceiptLink.Expose()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return c, shared, receipt
}

// A sender looks at a terminal while the recipient opens the secret.
func TestWatchOnTerminal(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	c, shared, receipt := shareFor(t, s)
	keyboard, terminal := servertest.OpenTerminal(t)
	const width = 48
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(err)
	}
	shown, said, ended := servertest.Screen(keyboard), servertest.NewOutput(), make(chan int)
	go func() {
		ended <- program.Run(t.Context(), []string{"receipt", "--watch", "@" + receipt}, servertest.Homeless(t), strings.NewReader(""), terminal, said)
	}()
	shown.WaitFor(t, "waiting; expires in 6 days 23 hours")
	servertest.WaitUntil(t, "the line to be drawn again", func() bool { return strings.Count(shown.String(), "\r\x1b[Kwaiting") > 1 })
	claim := client.NewClaim()
	if _, err := c.Open(t.Context(), shared.Link, client.Text{}, claim); err != nil {
		t.Fatalf("Open: got %v, want no error", err)
	}
	shown.WaitFor(t, "; the recipient's device")
	if err := c.Acknowledge(t.Context(), shared.Link, claim); err != nil {
		t.Fatalf("Acknowledge: got %v, want no error", err)
	}
	shown.WaitFor(t, "\r\x1b[Kdelivered: opened ")
	if code := <-ended; code != command.ExitOK || said.String() != "" {
		t.Errorf("hush receipt --watch: got exit code %d and %q on standard error, want %d and nothing", code, said, command.ExitOK)
	}
	if !strings.Contains(shown.String(), "…") {
		t.Errorf("terminal: got %q, want a line that was cut to fit", shown)
	}
	lines := strings.Split(shown.String(), "\r\x1b[K")
	for _, line := range lines[:len(lines)-1] {
		if len([]rune(line)) >= width || strings.Contains(line, "\n") {
			t.Errorf("line: got %q, want it shorter than %d and redrawn", line, width)
		}
	}
}

// On a terminal a secret is burned after a yes alone, and the receipt is asked for
// without being shown.
func TestBurnOnTerminal(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	for name, c := range map[string]struct {
		answer string
		code   int
		said   string
		state  client.State
	}{
		"yes":     {"yes", command.ExitOK, "burned the secret ", client.StateBurned},
		"no":      {"no", command.ExitFailure, "nothing was burned", client.StateWaiting},
		"nothing": {"", command.ExitFailure, "nothing was burned", client.StateWaiting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, shared, _ := shareFor(t, s)
			keyboard, terminal := servertest.OpenTerminal(t)
			person := &servertest.Typing{Keyboard: keyboard, Lines: []string{shared.ReceiptLink.Expose(), c.answer}, Hidden: func() bool { return true }}
			code := program.Run(t.Context(), []string{"burn"}, servertest.Homeless(t), terminal, io.Discard, person)
			said := person.Said.String()
			if code != c.code || !strings.Contains(said, c.said) || !strings.Contains(said, "Burn the secret "+shared.Receipt.ShortID+" (a\ufffdlabel), unread? ") {
				t.Errorf("hush burn, answered with %q: got %d and %q, want %d and %q", c.answer, code, said, c.code, c.said)
			}
			if strings.Contains(said, shared.Receipt.Key.Expose()) {
				t.Errorf("hush burn: got %q, want it without the key of the receipt", said)
			}
			if got, err := server.Receipt(t.Context(), shared.Receipt.Key); err != nil || got.State != c.state {
				t.Errorf("receipt: got %s and %v, want %s", got.State, err, c.state)
			}
		})
	}
}

// A sender who has seen enough ends the wait with Ctrl-C. The next prompt of the shell
// stands on a line of its own.
func TestInterruptedWatch(t *testing.T) {
	t.Parallel()
	_, _, receipt := shareFor(t, servertest.Start(t))
	keyboard, terminal := servertest.OpenTerminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	shown, said, ended := servertest.Screen(keyboard), servertest.NewOutput(), make(chan int)
	go func() {
		ended <- program.Run(ctx, []string{"receipt", "--watch", "@" + receipt}, servertest.Homeless(t), strings.NewReader(""), terminal, said)
	}()
	shown.WaitFor(t, "waiting; expires in ")
	cancel()
	if code := <-ended; code != command.ExitFailure || said.String() != "hush: interrupted; the secret still waits\n" {
		t.Errorf("hush receipt --watch, broken off: got %d and %q, want %d and that the secret waits", code, said, command.ExitFailure)
	}
	servertest.WaitUntil(t, "the line to end", func() bool { return strings.HasSuffix(shown.String(), "\n") })
}

// A server that needs the passphrase to burn a secret gets it from a prompt.
func TestBurnAsksForThePassphrase(t *testing.T) {
	t.Parallel()
	o := useOtherServer(t, otstest.Release0266)
	o.share(t, "sesame-sesame", "locked")
	s := servertest.OnTerminal(t, o.environment, nil, nil, "burn", o.at("locked"))
	s.Types(", unread? (yes or no): ", "yes\r")
	s.Types("Passphrase of the secret: ", "sesame-sesame\r")
	if code := s.Ends(); code != command.ExitOK || o.Waiting() != 0 {
		t.Errorf("hush burn: got exit code %d and %d secrets that wait, want 0 and none; it showed:\n%s", code, o.Waiting(), s.Shown)
	}
	if shown := s.Shown.String(); strings.Contains(shown, "sesame") {
		t.Errorf("screen: got %q, want it without the passphrase", shown)
	}
}

// What is said of a lost connection does not stand in the middle of the line, which is
// drawn again below.
func TestWatchSurvivesTheServer(t *testing.T) {
	t.Parallel()
	server := servertest.Start(t)
	_, shared, receipt := shareFor(t, server)
	// Another test's service may get the address of one that stopped, and knows no such
	// receipt. Nothing gets the address of the proxy.
	proxy := servertest.StartCutter(t, 1)
	proxy.Whole = 5
	proxy.To(server.Addr)
	link := strings.Replace(shared.ReceiptLink.Expose(), shared.ReceiptLink.Server, proxy.URL, 1)
	if err := os.WriteFile(receipt, []byte(link+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := servertest.OnTerminal(t, servertest.Homeless(t), nil, nil, "receipt", "--watch", "@"+receipt)
	s.Shown.WaitFor(t, "waiting; expires in ")
	server.Stop(t)
	s.Shown.WaitFor(t, "; trying again in ")
	servertest.WaitUntil(t, "the line to be drawn again", func() bool {
		_, after, _ := strings.Cut(s.Shown.String(), "; trying again in ")
		return strings.Contains(after, "\r\x1b[Kwaiting; expires in ")
	})
	if shown := s.Shown.String(); !strings.Contains(shown, "\r\x1b[Khush: ") {
		t.Errorf("screen: got %q, want the message on a line of its own", shown)
	}
	s.Types("", "\x03")
	s.Shown.WaitFor(t, "hush: interrupted; the secret still waits")
	if code, want := s.Ends(), program.Signalled+int(syscall.SIGINT); code != want {
		t.Errorf("hush receipt --watch, broken off: got exit code %d, want %d", code, want)
	}
}
