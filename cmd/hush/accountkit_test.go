package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/secret"
)

// kitPassword is that of all accounts of the kit.
const kitPassword = "nine quiet herons"

// kitSessions is how many sessions each of the accounts has that may sign in.
const kitSessions = 12

// accountKit is a data folder with accounts in it, and what their owners and
// others know of them.
type accountKit struct {
	// ada and bob are customers, cleo is a colonel, and dan signed up but did
	// not confirm the address.
	ada, bob, cleo, dan kitAccount
	// revoked was a token of ada's, and expired a session of hers.
	revoked string
	expired kitSession

	files map[string][]byte
}

// kitAccount is an account and its credentials.
type kitAccount struct {
	address, id string
	// token is good for everything; TokenID is its id.
	token, tokenID string
	// narrow holds a token for each scope alone.
	narrow map[caller.Scopes]string
	// sessions are all alive. Tests that end one take one of their own.
	sessions []kitSession
	// domain is claimed, not verified.
	domain domain.Domain
	// plain and guarded are secrets that wait; guarded has the passphrase
	// kitPassphrase. The receipts of both were looked at.
	plain, guarded secret.Concealed
}

const kitPassphrase = "open sesame"

// kitSession is what a browser keeps of a session.
type kitSession struct{ cookie, shrimp, id string }

// kitScopes are the scopes that a token may be narrowed to.
func kitScopes() map[string]caller.Scopes {
	return map[string]caller.Scopes{
		"conceal": caller.ScopeConceal, "reveal": caller.ScopeReveal,
		"metadata": caller.ScopeMetadata, "account": caller.ScopeAccount,
	}
}

// newAccountKit makes a kit. One for all tests would grow old while they run:
// lifetimes go by, and a domain's next check comes due.
func newAccountKit(t testing.TB) *accountKit {
	t.Helper()
	kit, err := buildAccountKit()
	if err != nil {
		t.Fatalf("making accounts: got %v, want no error", err)
	}
	return kit
}

// startAccounts runs the program on a new copy of the kit's data folder.
func startAccounts(t testing.TB, flags ...string) (*accountKit, *server) {
	t.Helper()
	kit := newAccountKit(t)
	return kit, startHushOn(t, kit.copyTo(t), flags...)
}

// startAccountsWithMail is startAccounts with a server that takes the program's
// mail, and with sign-up open.
func startAccountsWithMail(t testing.TB, flags ...string) (*accountKit, *server, *mailtest.Server) {
	t.Helper()
	relay := mailtest.NewWith(t, mailtest.Options{NoTLS: true})
	kit, s := startAccounts(t, append([]string{
		"--smtp-host", relay.Addr, "--smtp-tls=none", "--mail-from=Hush <no-reply@hush.example>", "--sign-up=open",
	}, flags...)...)
	return kit, s, relay
}

// copyTo writes the kit's data folder into a folder of the test.
func (k *accountKit) copyTo(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	err := os.Mkdir(data, 0o700)
	for name, content := range k.files {
		mode := os.FileMode(0o600)
		if name == rootKeyName {
			mode = 0o400
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(data, name), content, mode))
	}
	if err != nil {
		t.Fatalf("copying the data folder: got %v, want no error", err)
	}
	return data
}

func buildAccountKit() (kit *accountKit, err error) {
	dir, err := os.MkdirTemp("", "hush-accounts-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	kit = &accountKit{}
	data := filepath.Join(dir, "data")
	if err := kit.fill(data); err != nil {
		return nil, err
	}
	kit.files, err = kitFiles(data)
	return kit, err
}

func kitFiles(data string) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := os.ReadDir(data)
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, wrong := os.ReadFile(filepath.Join(data, entry.Name()))
		files[entry.Name()], err = content, errors.Join(err, wrong)
	}
	return files, err
}

// kitBearer is the header of an API token alone.
func kitBearer(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

// kitBasic is the header of an address with an API token.
func kitBasic(address, token string) http.Header {
	return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(address+":"+token))}}
}

// header is the cookie alone.
func (s kitSession) header() http.Header {
	return http.Header{"Cookie": {"__Host-hush=" + s.cookie}}
}

// page is what a browser sends from a page of the service at url.
func (s kitSession) page(url string) http.Header {
	header := s.header()
	header.Set("O-Shrimp", s.shrimp)
	header.Set("Origin", url)
	header.Set("Sec-Fetch-Site", "same-origin")
	return header
}

// kitReply is an answer, read to its end.
type kitReply struct {
	status int
	header http.Header
	body   string
}

// kitSend sends a request; a body that begins with a brace is JSON, any other
// a form.
func kitSend(t testing.TB, client *http.Client, method, url string, header http.Header, body string) kitReply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s %s: got %v, want a request", method, url, err)
	}
	maps.Copy(r.Header, header)
	if m := publicMethods()[r.URL.Path]; m != nil && m.IsStreamingServer() && method == http.MethodPost {
		return kitStream(t, client, r, body)
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		kind := "application/x-www-form-urlencoded"
		if strings.HasPrefix(body, "{") {
			kind = "application/json"
		}
		r.Header.Set("Content-Type", kind)
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: got %v, want an answer", method, url, err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: got %v, want a whole body", method, url, err)
	}
	return kitReply{res.StatusCode, res.Header, string(content)}
}

// kitStream calls a stream over Connect with JSON and answers its first message,
// or its error as an RPC without a stream has it.
func kitStream(t testing.TB, client *http.Client, r *http.Request, body string) kitReply {
	t.Helper()
	envelope := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(envelope)), int64(len(envelope))
	r.Header.Set("Content-Type", "application/connect+json")
	res, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s: got %v, want an answer", r.URL.Path, err)
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Type") != "application/connect+json" {
		content, _ := io.ReadAll(res.Body)
		return kitReply{res.StatusCode, res.Header, string(content)}
	}
	var head [5]byte
	if _, err := io.ReadFull(res.Body, head[:]); err != nil {
		t.Fatalf("%s: got %v, want a message", r.URL.Path, err)
	}
	content := make([]byte, binary.BigEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(res.Body, content); err != nil {
		t.Fatalf("%s: got %v, want a whole message", r.URL.Path, err)
	}
	var end struct{ Error json.RawMessage }
	if head[0]&2 == 0 || json.Unmarshal(content, &end) != nil || end.Error == nil {
		return kitReply{http.StatusOK, res.Header, string(content)}
	}
	return kitReply{http.StatusBadRequest, res.Header, string(end.Error)}
}

// kitCall calls an RPC over Connect with JSON.
func kitCall(t testing.TB, client *http.Client, url, procedure string, header http.Header, body string) kitReply {
	t.Helper()
	return kitSend(t, client, http.MethodPost, url+procedure, header, body)
}
