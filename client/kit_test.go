package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/client"
	"hush/handlers"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/vaulttest"
)

const anAddress = "ada@example.com"

// server is a Hush server over real HTTP, on a real vault.
type server struct {
	kit *vaulttest.Kit
	// url is its address, and that of its links.
	url        string
	change     func(*handlers.Options)
	network    *network // nil for that of the system
	http       *http.Server
	endStreams func()
}

// startServer starts a server. change, unless nil, changes the options of its
// handlers.
func startServer(t testing.TB, opts vaulttest.Options, change func(*handlers.Options)) *server {
	t.Helper()
	opts.Manual = true
	if opts.Policy.SignUp == 0 {
		opts.Policy.SignUp = caller.SignUpClosed
	}
	s := &server{kit: vaulttest.New(t, opts), change: change}
	s.serve(t, s.listen(t))
	t.Cleanup(s.stop)
	return s
}

// startServerOn starts a server on a network in memory. Its vault is in a folder: a
// database elsewhere would be waited for outside a bubble.
func startServerOn(t testing.TB, n *network) *server {
	t.Helper()
	s := &server{kit: vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true, Policy: caller.Policy{SignUp: caller.SignUpClosed}}), network: n}
	s.serve(t, s.listen(t))
	t.Cleanup(s.stop)
	return s
}

// listen listens on the server's network.
func (s *server) listen(t testing.TB) net.Listener {
	t.Helper()
	if s.network != nil {
		return s.network.listen()
	}
	return listen(t)
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve serves the vault on a listener. The first address stays that of the links.
func (s *server) serve(t testing.TB, l net.Listener) {
	t.Helper()
	if s.url == "" {
		s.url = "http://" + l.Addr().String()
	}
	base, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	options := handlers.Options{
		Vault: s.kit.Vault, Log: slog.New(slog.DiscardHandler), Now: s.kit.Clock.Now, Version: "1.2.3", BaseURL: base, Backend: "bolt",
	}
	if s.change != nil {
		s.change(&options)
	}
	api, err := handlers.New(options)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, mount := range api.Mounts {
		mux.Handle(mount.Path, mount.Handler)
	}
	s.http, s.endStreams = &http.Server{Addr: l.Addr().String(), Handler: api.Middleware(mux), ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}, api.EndStreams
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.http.Serve(l) }()
}

// stop ends the server, as at the end of its process.
func (s *server) stop() {
	s.endStreams()
	_ = s.http.Close()
}

// client returns a client of the server that waits for little and whose passphrases
// cost nothing.
func (s *server) client(t testing.TB, options client.Options) *client.Client {
	t.Helper()
	return clientOf(t, s.url, options)
}

func clientOf(t testing.TB, server string, options client.Options) *client.Client {
	t.Helper()
	c, err := client.New(server, options)
	if err != nil {
		t.Fatalf("New(%s): got %v, want no error", server, err)
	}
	c.Hurry(time.Millisecond, time.Minute)
	c.Cheapen()
	return c
}

// token returns an API token of an account of the server.
func (s *server) token(t testing.TB, scopes caller.Scopes) client.Text {
	t.Helper()
	operator := s.kit.Vault.Operator()
	_, err := operator.Accounts.CreateAccount(t.Context(), account.OperatorAccount{Address: anAddress, Password: vaulttest.Password})
	if err != nil && !strings.Contains(err.Error(), "already") {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	token, _, err := operator.Tokens.CreateToken(t.Context(), anAddress, credential.NewToken{Name: fmt.Sprint("token ", scopes), Scopes: scopes})
	if err != nil {
		t.Fatalf("CreateToken: got %v, want no error", err)
	}
	return client.Hide(token.Expose())
}

// aText is a request to share a text.
func aText(text string) client.ShareRequest {
	return client.ShareRequest{Content: &client.Content{Bytes: []byte(text)}}
}

// mustShare shares.
func mustShare(t testing.TB, c *client.Client, request client.ShareRequest) client.Shared {
	t.Helper()
	shared, err := c.Share(t.Context(), request)
	if err != nil {
		t.Fatalf("Share: got %v, want no error", err)
	}
	return shared
}

// parsed returns a link as its recipient has it, from its text.
func parsed(t testing.TB, link client.Link) client.Link {
	t.Helper()
	again, err := client.ParseLink(link.Expose())
	if err != nil {
		t.Fatalf("ParseLink(link of Share): got %v, want no error", err)
	}
	return again
}

// changed returns a link with another last character, as a mail gateway or a person
// makes it.
func changed(t testing.TB, link client.Link) client.Link {
	t.Helper()
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := link.Expose()
	last := len(text) - 1
	next := (strings.IndexByte(letters, text[last]) + 1) % len(letters)
	return mustParseLink(t, text[:last]+letters[next:next+1])
}

// wantError checks the kind of an error, and returns it.
func wantError(t testing.TB, what string, err error, want *client.Error) *client.Error {
	t.Helper()
	got, ok := errors.AsType[*client.Error](err)
	if !ok || !errors.Is(err, want) {
		t.Fatalf("%s: got %v, want the kind of %v", what, err, want)
	}
	return got
}

// wantText checks what was opened.
func wantText(t testing.TB, opened client.Opened, err error, want string) {
	t.Helper()
	if err != nil || string(opened.Content.Bytes) != want {
		t.Errorf("Open: got %q, %v, want %q", opened.Content.Bytes, err, want)
	}
}

// wantReceipt compares all of a receipt but its key.
func wantReceipt(t testing.TB, what string, got, want client.Receipt) {
	t.Helper()
	got.Key = client.Text{}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(client.Receipt{}, "Key")); diff != "" {
		t.Errorf("%s: got another receipt than wanted (-want +got):\n%s", what, diff)
	}
}

// example is a server for an example, which has no test.
type example struct {
	*server

	t *exampleT
}

func startExample() *example {
	t := &exampleT{}
	return &example{startServer(t, vaulttest.Options{}, nil), t}
}

// end stops the server and removes its folder.
func (e *example) end() {
	for _, end := range slices.Backward(e.t.ends) {
		end()
	}
}

// linkOf shares a text and returns its link.
func (e *example) linkOf(text string) string {
	c, err := client.New(e.url, client.Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	return mustShare(e.t, c, aText(text)).Link.Expose()
}

// exampleT is what the kit needs of a test.
type exampleT struct {
	testing.TB

	ends []func()
}

func (*exampleT) Helper()                           {}
func (*exampleT) Context() context.Context          { return context.Background() }
func (*exampleT) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (*exampleT) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (t *exampleT) Cleanup(end func())              { t.ends = append(t.ends, end) }

func (t *exampleT) TempDir() string {
	dir, err := os.MkdirTemp("", "hush-example-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
