package people

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
)

var testKey = strings.Repeat("k", 31)

func TestReadLink(t *testing.T) {
	t.Parallel()
	link := "https://a.example/s#" + testKey
	folder := t.TempDir()
	open, closed, two := filepath.Join(folder, "open"), filepath.Join(folder, "closed"), filepath.Join(folder, "two")
	if err := errors.Join(os.WriteFile(open, []byte(link+"\n\n"), 0o600), os.WriteFile(closed, []byte(link), 0o600),
		os.WriteFile(two, []byte(link+"\n"+link+"\n"), 0o600), os.Chmod(open, 0o644)); err != nil {
		t.Fatal(err)
	}
	for argument, want := range map[string]string{link: "", "-": "", "@" + closed: "", "@" + open: "every user of this machine may read " + open} {
		x, said := newTestConnector(t, nil, nil)
		x.console.In = strings.NewReader(link + "\r\n \n")
		got, err := readLink(t.Context(), x.console, []string{argument}, "", client.ParseLink)
		if err != nil || got.Expose() != link || !strings.Contains(said.String(), want) {
			t.Errorf("readLink(%q): got %v, %v and %q said, want the link and %q", argument, got, err, said, want)
		}
	}
	for argument, want := range map[string]string{"-": "standard input: the first line is empty", "@" + folder + "/none": "open " + folder, "@": "behind the @ must stand the name of a file", "@" + two: "there is more than one line"} {
		x, _ := newTestConnector(t, nil, nil)
		if _, err := readLink(t.Context(), x.console, []string{argument}, "", client.ParseLink); !isUsage(err, want) {
			t.Errorf("readLink(%q): got %v, want the usage error %q", argument, err, want)
		}
	}
	x, _ := newTestConnector(t, nil, nil)
	_, err := readLink(t.Context(), x.console, []string{"https://a.example/e#" + testKey}, "", client.ParseLink)
	if exit, ok := errors.AsType[*command.ExitError](err); !ok || exit.Code != command.ExitUsage || strings.Contains(err.Error(), testKey) {
		t.Errorf("readLink of half a link: got %v, want exit code %d without the link", err, command.ExitUsage)
	}
}

func TestReadReceipt(t *testing.T) {
	t.Parallel()
	link := "https://a.example/r#" + testKey
	file := filepath.Join(t.TempDir(), "receipt")
	if err := os.WriteFile(file, []byte(link), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, argument := range []string{"-", "@" + file} {
		x, _ := newTestConnector(t, nil, nil)
		x.console.In = strings.NewReader(link)
		if got, err := x.readReceipt(t.Context(), []string{argument}); err != nil || got.Expose() != link {
			t.Errorf("readReceipt(%q): got %v and %v, want the receipt", argument, got, err)
		}
	}
	x, _ := newTestConnector(t, nil, nil)
	if _, err := x.readReceipt(t.Context(), []string{link}); !isUsage(err, "a receipt is not taken from the command line") || strings.Contains(err.Error(), testKey) {
		t.Errorf("readReceipt of a receipt in the arguments: got %v, want a usage error without it", err)
	}
	if _, err := x.readReceipt(t.Context(), nil); !isUsage(err, "RECEIPT is missing") {
		t.Errorf("readReceipt without a terminal: got %v, want a usage error", err)
	}
}

func TestFail(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	if withExitCode(nil) != nil || !errors.Is(withExitCode(plain), plain) {
		t.Errorf("withExitCode of nil and of another error: got %v and %v, want them as they are", withExitCode(nil), withExitCode(plain))
	}
	for kind := client.KindFailure; kind <= client.KindProtocol; kind++ {
		want, ok := map[client.Kind]int{
			client.KindFailure: 1, client.KindUsage: 2, client.KindLink: 2, client.KindGone: 4, client.KindPassphrase: 5, client.KindLocked: 6, client.KindRefused: 7,
			client.KindUnauthorized: 7, client.KindLimited: 7, client.KindNetwork: 8, client.KindLost: 4, client.KindAltered: 1, client.KindUnsupported: 7, client.KindProtocol: 2,
		}[kind]
		err := withExitCode(fmt.Errorf("opening: %w", &client.Error{Kind: kind, Message: "message"}))
		exit, isExit := errors.AsType[*command.ExitError](err)
		if isUsage(err, "opening: message") && kind == client.KindUsage {
			continue
		}
		if !ok || !isExit || exit.Code != want || !strings.HasPrefix(err.Error(), "opening: message") || client.KindOf(err) != kind {
			t.Errorf("withExitCode of kind %d: got %v, want exit code %d and the message", kind, err, want)
		}
		if again := withExitCode(err); again.Error() != err.Error() {
			t.Errorf("withExitCode of what it returned: got %v, want %v", again, err)
		}
	}
}

func TestRemedies(t *testing.T) {
	t.Parallel()
	for want, failed := range map[string]*client.Error{
		"":                                       {Kind: client.KindGone},
		"; try again in 1m30s":                   {Kind: client.KindLocked, RetryAfter: 90e9},
		"; try again later":                      {Kind: client.KindLimited},
		"; tries left before a pause: 2":         {Kind: client.KindPassphrase, TriesLeft: 2},
		"; that was the last try before a pause": {Kind: client.KindPassphrase},
		"; pass it with --passphrase-file, or run the command on a terminal":                         {Kind: client.KindPassphrase, Missing: true, TriesLeft: -1},
		"; --encryption server lets the server encrypt, which then sees the text and the passphrase": {Kind: client.KindRefused, EndToEnd: true},
	} {
		failed.Message = "message"
		if got := withExitCode(failed).Error(); got != "message"+want {
			t.Errorf("withExitCode(%+v): got %q, want %q", failed, got, "message"+want)
		}
	}
	forGood := &client.Error{Kind: client.KindLocked, ForGood: true, Message: "message"}
	if got := withExitCode(forGood).Error(); got != "message" {
		t.Errorf("withExitCode(%+v): got %q, want no remedy", forGood, got)
	}
}
