package people_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/client/protocols"
	"hush/cmd/hush/program"
	"hush/mail/mailtest"
	"hush/server/servertest"
)

// sender is a person who shares at a service, with a home folder of her own.
type sender struct {
	t           *testing.T
	s           *servertest.Server
	environment []string
}

func newSender(t *testing.T, s *servertest.Server, environment ...string) sender {
	home := t.TempDir()
	return sender{t, s, append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "HUSH_SERVER=" + s.URL}, environment...)}
}

// share calls "hush share".
func (p sender) share(stdin string, args ...string) servertest.Result {
	p.t.Helper()
	return servertest.Call(p.t, p.environment, stdin, append([]string{"share"}, args...)...)
}

// open opens the link that a call printed.
func (p sender) open(printed servertest.Result, passphrase string) client.Opened {
	p.t.Helper()
	link, err := client.ParseLink(printed.Stdout)
	if err != nil || strings.Count(printed.Stdout, "\n") != 1 {
		p.t.Fatalf("hush share: got %q and %v on standard output, want one link; it wrote:\n%s", printed.Stdout, err, printed.Stderr)
	}
	c, err := protocols.New(p.s.URL, client.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	opened, err := c.Open(p.t.Context(), link, client.Hide(passphrase), client.Claim{})
	if err != nil {
		p.t.Fatalf("Open: got %v, want a content", err)
	}
	return opened
}

// Each byte arrives as it was, and a file is a file.
func TestSharedContent(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	file := filepath.Join(t.TempDir(), "größe.env")
	binary := "\x00\x01binary\xff\r\n"
	for name, c := range map[string]struct {
		file, stdin string
		args        []string
		want        client.Content
	}{
		"piped":              {stdin: "text", want: client.Content{Bytes: []byte("text")}},
		"piped with its end": {stdin: "two\r\nlines\n", args: []string{"-"}, want: client.Content{Bytes: []byte("two\r\nlines\n")}},
		"piped spaces":       {stdin: " \n ", want: client.Content{Bytes: []byte(" \n ")}},
		"piped bytes":        {stdin: binary, want: client.Content{Bytes: []byte(binary), IsFile: true}},
		"piped with a name":  {stdin: "text", args: []string{"--name", "a b.txt"}, want: client.Content{Bytes: []byte("text"), IsFile: true, FileName: "a b.txt"}},
		"file":               {file: "A=1\n", args: []string{file}, want: client.Content{Bytes: []byte("A=1\n"), IsFile: true, FileName: "größe.env"}},
		"file of bytes":      {file: binary, args: []string{file}, want: client.Content{Bytes: []byte(binary), IsFile: true, FileName: "größe.env"}},
		"file as a text":     {file: "A=1\n", args: []string{file, "--text"}, want: client.Content{Bytes: []byte("A=1\n")}},
		"empty file":         {args: []string{file}, want: client.Content{IsFile: true, FileName: "größe.env"}},
		"file with a name":   {file: "A=1\n", args: []string{file, "--name", "x"}, want: client.Content{Bytes: []byte("A=1\n"), IsFile: true, FileName: "x"}},
		"file to the server": {file: "A=1\n", args: []string{file, "--encryption", "server"}, want: client.Content{Bytes: []byte("A=1\n")}},
		"longest":            {stdin: strings.Repeat("x", 102400), want: client.Content{Bytes: []byte(strings.Repeat("x", 102400))}},
	} {
		if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got := p.open(p.share(c.stdin, c.args...).Want(t, "share", command.ExitOK), "").Content
		if string(got.Bytes) != string(c.want.Bytes) || got.IsFile != c.want.IsFile || got.FileName != c.want.FileName {
			t.Errorf("%s: got %.40q, file %t %q, want %.40q, file %t %q", name, got.Bytes, got.IsFile, got.FileName, c.want.Bytes, c.want.IsFile, c.want.FileName)
		}
	}
}

// The passphrase that was printed or read opens the secret, and without it nothing
// does.
func TestSharedPassphrase(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	file := filepath.Join(t.TempDir(), "passphrase")
	if err := os.WriteFile(file, []byte("correct horse\nsecond line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.open(p.share("text", "--passphrase-file", file), "correct horse"); string(got.Content.Bytes) != "text" {
		t.Errorf("Open with the passphrase of the file: got %q, want text", got.Content.Bytes)
	}
	drawn := p.share("text", "--generate-passphrase")
	_, rest, _ := strings.Cut(drawn.Stderr, "hush: passphrase: ")
	phrase, _, _ := strings.Cut(rest, "\n")
	if got := p.open(drawn, phrase); string(got.Content.Bytes) != "text" {
		t.Errorf("Open with the passphrase %q: got %q, want text", phrase, got.Content.Bytes)
	}
	if again := p.share("text", "--generate-passphrase"); strings.Contains(again.Stderr, phrase) {
		t.Errorf("hush share --generate-passphrase: got %q twice, want another one", phrase)
	}
}

// deaf is standard error on a disk that is full for the lines with some words.
type deaf struct {
	bytes.Buffer

	words string
}

func (d *deaf) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(d.words)) {
		return 0, syscall.ENOSPC
	}
	return d.Buffer.Write(b)
}

// What was drawn and could not be printed exists nowhere: the sender learns what waits.
func TestShareSaysWhatWasNotPrinted(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	for words, c := range map[string]struct {
		args []string
		want string
	}{
		"hush: passphrase:": {[]string{"--generate-passphrase"}, "its passphrase could not be printed, so that no one can open it; the receipt burns it: no space left on device"},
		"hush: generated:":  {[]string{"--generate", "--show"}, "the generated text could not be printed; the receipt burns it: no space left on device"},
	} {
		stderr := &deaf{words: words}
		var stdout bytes.Buffer
		code := program.Run(t.Context(), append([]string{"share"}, c.args...), p.environment, strings.NewReader("text"), &stdout, stderr)
		servertest.Result{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}.Want(t, "share", command.ExitFailure, "the secret was shared, and "+c.want, "hush: receipt: ")
	}
}

// shareLine is what --json prints.
type shareLine struct {
	Link, Receipt, Recipient, Value, Expires, Encryption, Protocol, Server string
	ShortID                                                                string `json:"short_id"`
	TTL                                                                    int64
}

func linesOf(t *testing.T, text string) (lines []shareLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		var one shareLine
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("--json: got %q and %v, want lines of JSON", line, err)
		}
		lines = append(lines, one)
	}
	return lines
}

func TestSharedAsJSON(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	begun := time.Now()
	line := linesOf(t, p.share("text", "--ttl", "3d", "--json").Want(t, "share", command.ExitOK).Stdout)[0]
	expires, err := time.Parse(time.RFC3339, line.Expires)
	if err != nil || expires.Before(begun.Add(71*time.Hour)) || expires.After(begun.Add(73*time.Hour)) || line.TTL != 3*86400 {
		t.Errorf("--json: got a lifetime of %d until %q, want three days", line.TTL, line.Expires)
	}
	receipt, err := client.ParseReceiptLink(line.Receipt)
	if err != nil || !strings.HasPrefix(receipt.Keys[0].Expose(), line.ShortID) || len(line.ShortID) != 8 || line.Server != p.s.URL ||
		line.Protocol != "hush" || line.Encryption != "end-to-end" {
		t.Errorf("--json: got %+v, want the facts of the secret", line)
	}
}

// Each recipient has a link of her own, and one receipt shows all.
func TestShareWithRecipients(t *testing.T) {
	t.Parallel()
	s := startMailing(t)
	token := servertest.Operator{T: t, Data: s.Data}.Account("sender@example.com")
	p := newSender(t, s, "HUSH_TOKEN="+token)
	to := []string{"--encryption", "server", "--recipient", "a@example.com", "--recipient", "b@example.com", "--recipient", `"A, B" <A@Example.com>`}
	got := p.share("text", append(to, "--generate-passphrase")...).Want(t, "share", command.ExitOK,
		"the link for a@example.com opens once", "the link for b@example.com opens once")
	links := strings.Fields(got.Stdout)
	if len(links) != 2 || links[0] == links[1] || strings.Count(got.Stderr, "passphrase:") != 1 {
		t.Errorf("hush share: got %s%s, want two links and one passphrase", got.Stdout, got.Stderr)
	}
	_, text, _ := strings.Cut(got.Stderr, "receipt: ")
	if receipt, err := client.ParseReceiptLink(text); err != nil || len(receipt.Keys) != 2 {
		t.Errorf("hush share: got receipt %q, want one of two secrets", text)
	}
	lines := linesOf(t, p.share("", append(to, "--generate", "--show", "--json")...).Want(t, "share", command.ExitOK).Stdout)
	if len(lines) != 2 || lines[0].Value == "" || lines[0].Recipient != "a@example.com" || lines[1].Recipient != "b@example.com" {
		t.Fatalf("hush share --generate: got %+v, want a line for each recipient", lines)
	}
	for _, line := range lines {
		if opened := p.open(servertest.Result{Stdout: line.Link + "\n"}, ""); string(opened.Content.Bytes) != lines[0].Value {
			t.Errorf("Open: got %q for %s, want the text that all got", opened.Content.Bytes, line.Recipient)
		}
	}
}

// The sender learns which of a group exist: another try must not mail twice.
func TestShareWithSomeRecipients(t *testing.T) {
	t.Parallel()
	s := startMailing(t)
	p := newSender(t, s, "HUSH_TOKEN="+servertest.Operator{T: t, Data: s.Data}.Account("sender@example.com"))
	file := filepath.Join(t.TempDir(), "receipts")
	to := func(addresses ...string) []string {
		args := []string{"--encryption", "server"}
		for _, address := range addresses {
			args = append(args, "--recipient", address)
		}
		return args
	}
	got := p.share("the text", append(to("a@example.com", "no address", "c@example.com"), "--receipt-file", file)...).
		Want(t, "share", command.ExitFailure, "shared for a@example.com, as printed above; not shared for no address, c@example.com: ")
	if strings.Count(got.Stdout, "\n") != 1 || strings.Contains(got.Stderr, "the text") {
		t.Errorf("hush share: got %s%s, want the first link", got.Stdout, got.Stderr)
	}
	if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), "/r#") {
		t.Errorf("--receipt-file: got %q and %v, want the receipt of the first", kept, err)
	}
	p.share("the text", to("no address", "c@example.com")...).
		Want(t, "share", command.ExitRefused, "not shared for no address, c@example.com: ")
}

// startMailing starts a service that sends mail to a server of the test's own.
func startMailing(t *testing.T) *servertest.Server {
	t.Helper()
	return servertest.Start(t, "--smtp-host", mailtest.New(t).Addr, "--smtp-tls=none", "--mail-from=hush@hush.example")
}

// A recipient at a server that sends no mail is refused before anything is shared.
func TestShareWithoutMail(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	p := newSender(t, s, "HUSH_TOKEN="+servertest.Operator{T: t, Data: s.Data}.Account("sender@example.com"))
	got := p.share("text", "--encryption", "server", "--recipient", "a@example.com").Want(t, "share", command.ExitRefused,
		"the server sends no mail: leave out the recipients, and pass the link on yourself")
	if got.Stdout != "" {
		t.Errorf("hush share: got %q, want no link", got.Stdout)
	}
}

// A server that mails gets the address.
func TestShareMails(t *testing.T) {
	t.Parallel()
	mails := mailtest.New(t)
	s := servertest.Start(t, "--smtp-host", mails.Addr, "--smtp-tls=none", "--mail-from=hush@hush.example")
	p := newSender(t, s, "HUSH_TOKEN="+servertest.Operator{T: t, Data: s.Data}.Account("sender@example.com"))
	p.share("text", "--encryption", "server", "--recipient", "a@example.com").Want(t, "share", command.ExitOK)
	if mail := fmt.Sprint(mails.Wait(t, 1)); !strings.Contains(mail, "a@example.com") {
		t.Errorf("mail: got %s, want one to the recipient", mail)
	}
}

func TestReceiptFileIsItsOwners(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	file := filepath.Join(t.TempDir(), "receipt")
	p.share("text", "--receipt-file", file).Want(t, "share", command.ExitOK)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("--receipt-file: got mode %v and %v, want 0600", info, err)
	}
}

// The operator's rules are said before anything is typed or sent.
func TestShareAgainstPolicy(t *testing.T) {
	t.Parallel()
	required := newSender(t, servertest.Start(t, "--passphrase-required=on", "--passphrase-min=10"))
	required.share("text").Want(t, "share", command.ExitRefused, "add --generate-passphrase")
	required.share("text", "--generate-passphrase").Want(t, "share", command.ExitOK)
	closed := newSender(t, servertest.Start(t, "--maintenance", "back at noon"))
	closed.share("text").Want(t, "share", command.ExitRefused, "back at noon")
	members := newSender(t, servertest.Start(t, "--anonymous-create=off"))
	members.share("text").Want(t, "share", command.ExitRefused, "hush login")
	wrong := newSender(t, members.s, "HUSH_TOKEN="+strings.Repeat("0", 40))
	wrong.share("text").Want(t, "share", command.ExitRefused, "hush login")
}

// A server of the other protocols sees what is shared there, and each share says so.
func TestShareAtAnotherServer(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"v1", "v2"} {
		release := otstest.ReleaseV1Only
		if protocol == "v2" {
			release = otstest.Release0266
		}
		other := otstest.Start(t, otstest.Options{Release: release})
		p := newSender(t, &servertest.Server{URL: other.URL}, "HUSH_PROTOCOL="+protocol)
		file := filepath.Join(t.TempDir(), ".env")
		if err := os.WriteFile(file, []byte("A=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		sees := "speaks " + protocol + ": nothing is encrypted on this device, and the server sees the content and the passphrase"
		p.share("text", "--label", "note").Want(t, "share", command.ExitRefused, "keeps no labels; nothing was sent")
		p.share("text", "--encryption", "end-to-end").Want(t, "share", command.ExitRefused, "has no end-to-end encryption; nothing was sent")
		p.share("\xff").Want(t, "share", command.ExitRefused, sees, "takes a text in UTF-8 only")
		if waiting := other.Waiting(); waiting != 0 {
			t.Errorf("%s: got %d secrets after refusals, want none", protocol, waiting)
		}
		got := p.share("", file, "--ttl", "1h").Want(t, "share", command.ExitOK, sees, "the name of the file is left out", "the link opens once", "receipt: "+other.URL)
		link, err := client.ParseLink(got.Stdout)
		if err != nil || !link.Foreign {
			t.Fatalf("%s: got %q and %v, want a link of that server", protocol, got.Stdout, err)
		}
		if text, _, waits := other.Held(link.Key.Expose()); text != "A=1\n" || !waits {
			t.Errorf("%s: the server has %q, waiting %t, want the content of the file", protocol, text, waits)
		}
		line := linesOf(t, p.share("text", "--json").Want(t, "share", command.ExitOK, sees).Stdout)[0]
		if line.Protocol != protocol || line.Encryption != "server" {
			t.Errorf("%s --json: got %+v, want the protocol and who encrypts", protocol, line)
		}
	}
}

// Who presses Ctrl-C while a server does not answer gets the shell back, and learns
// whether anything may wait there.
func TestInterruptedShare(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	for path, want := range map[string]string{
		"ConcealSecret": "interrupted; a secret that no one has a link to may wait at the server until it expires",
		"GetPolicy":     "interrupted; nothing was done",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		answer := make(chan struct{})
		forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: s.Addr})
		hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, path) {
				cancel()
				<-answer
				return
			}
			forward.ServeHTTP(w, r)
		}))
		p := newSender(t, &servertest.Server{URL: hanging.URL})
		var stdout, stderr bytes.Buffer
		code := program.Run(ctx, []string{"share"}, p.environment, strings.NewReader("text"), &stdout, &stderr)
		close(answer)
		hanging.Close()
		if code != command.ExitFailure || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("hush share, interrupted in %s: got exit code %d, %q and %q, want 1 and %q", path, code, &stdout, &stderr, want)
		}
	}
}

// Where nothing can copy the link, nothing is shared, and the sender reads why.
func TestShareWithoutClipboard(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	receipt := filepath.Join(t.TempDir(), "receipt")
	c := exec.CommandContext(t.Context(), os.Args[0], "share", "--copy", "--receipt-file", receipt)
	c.Env, c.Stdin = append([]string{servertest.AsProgram + "=1", "PATH=" + t.TempDir()}, p.environment...), strings.NewReader("text")
	var stderr strings.Builder
	c.Stderr = &stderr
	printed, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != command.ExitFailure || len(printed) > 0 {
		t.Errorf("hush share --copy without a clipboard: got %v and %q, want exit code 1 and no link", err, printed)
	}
	if !strings.Contains(stderr.String(), "copying to the clipboard: no program for it was found: install wl-clipboard, xclip or xsel") {
		t.Errorf("hush share --copy without a clipboard: got %q, want what to install", &stderr)
	}
	if _, err := os.Stat(receipt); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("receipt file: got %v, want none", err)
	}
}
