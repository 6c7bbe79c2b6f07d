package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/storage/bolt"
	"hush/storage/postgres/postgrestest"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/secret"
)

// testPassword is that of all accounts of the test environment.
const testPassword = "nine quiet herons"

// testSessions is how many sessions each of the accounts has that may sign in.
const testSessions = 12

// testEnv is a data folder with accounts in it, and what their owners and
// others know of them.
type testEnv struct {
	// ada and bob are customers, cleo is a colonel, and dan signed up but did
	// not confirm the address.
	ada, bob, cleo, dan testAccount
	// revoked was a token of ada's, and expired a session of hers.
	revoked string
	expired testSession

	files map[string][]byte
	made  string // the folder that the files are of
}

// testAccount is an account and its credentials.
type testAccount struct {
	address, id string
	// token has all scopes; TokenID is its id.
	token, tokenID string
	// narrow holds a token for each scope alone.
	narrow map[caller.Scopes]string
	// sessions are all alive. Tests that end one take one of their own.
	sessions []testSession
	// domain is claimed, not verified.
	domain domain.Domain
	// plain and guarded are secrets that wait; guarded has the passphrase
	// testPassphrase. The receipts of both were looked at.
	plain, guarded secret.Concealed
}

const testPassphrase = "open sesame"

// testSession is what a browser keeps of a session.
type testSession struct{ cookie, shrimp, id string }

// testScopes are the scopes that a token may be narrowed to.
func testScopes() map[string]caller.Scopes {
	return map[string]caller.Scopes{
		"conceal": caller.ScopeConceal, "reveal": caller.ScopeReveal,
		"metadata": caller.ScopeMetadata, "account": caller.ScopeAccount,
	}
}

// newTestEnv makes a test environment. One for all tests would grow old while they run:
// lifetimes go by, and a domain's next check comes due. With inFolder among the
// flags it is in the data folder in every run.
func newTestEnv(t testing.TB, flags ...string) *testEnv {
	t.Helper()
	starts(t)
	data := filepath.Join(t.TempDir(), "accounts")
	open := openFolder
	if storeFlags(t, data, flags) != nil { // it made a database
		open = openDatabase
	}
	env, err := buildTestEnv(data, open)
	if err != nil {
		t.Fatalf("making accounts: got %v, want no error", err)
	}
	return env
}

// startAccounts runs the program on a new copy of the test environment's data folder.
func startAccounts(t testing.TB, flags ...string) (*testEnv, *testServer) {
	t.Helper()
	env := newTestEnv(t, flags...)
	return env, startHushOn(t, env.copyTo(t), flags...)
}

// startAccountsWithMail is startAccounts with a server that takes the program's
// mail, and with sign-up open.
func startAccountsWithMail(t testing.TB, flags ...string) (*testEnv, *testServer, *mailtest.Server) {
	t.Helper()
	relay := mailtest.NewWith(t, mailtest.Options{NoTLS: true})
	env, s := startAccounts(t, append([]string{
		"--smtp-host", relay.Addr, "--smtp-tls=none", "--mail-from=Hush <no-reply@hush.example>", "--sign-up=open",
	}, flags...)...)
	return env, s, relay
}

// copyTo writes the test environment's data folder into a folder of the test.
func (k *testEnv) copyTo(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	err := os.Mkdir(data, 0o700)
	for name, content := range k.files {
		mode := os.FileMode(0o600)
		if name == "root.key" {
			mode = 0o400
		}
		err = errors.Join(err, writeSparse(filepath.Join(data, name), content, mode))
	}
	if err == nil && hasData(data) {
		err = adopt(t.Context(), data)
	}
	if err == nil && postgrestest.Shared() != "" && !hasData(data) {
		_, err = makeDatabase(t.Context(), data, databaseOf(k.made))
		t.Cleanup(func() { dropDatabase(t, data) })
	}
	if err != nil {
		t.Fatalf("copying the data folder: got %v, want no error", err)
	}
	return data
}

// adopt makes a copied data folder the one to serve, as a start with --moved does: the
// folder that it is a copy of is never served.
func adopt(ctx context.Context, data string) error {
	folder, err := bolt.OpenFolder(data)
	if err != nil {
		return err
	}
	if _, _, err = folder.Open(bolt.Options{Small: true}); err == nil {
		err = folder.KeepFiles(ctx, true)
	}
	return errors.Join(err, folder.Close())
}

// writeSparse writes a new file whose blocks of zeros take no space: most of a new
// database is not in use.
func writeSparse(path string, content []byte, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	zeros := make([]byte, 4096)
	at := int64(0)
	for block := range slices.Chunk(content, len(zeros)) {
		if !bytes.Equal(block, zeros[:len(block)]) {
			_, wrong := file.WriteAt(block, at)
			err = errors.Join(err, wrong)
		}
		at += int64(len(block))
	}
	return errors.Join(err, file.Truncate(at), file.Close())
}

func buildTestEnv(data string, open storeOpener) (env *testEnv, err error) {
	env = &testEnv{made: data}
	if err := env.fill(data, open); err != nil {
		return nil, err
	}
	env.files, err = readFiles(data)
	return env, err
}

func readFiles(data string) (map[string][]byte, error) {
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

// bearerHeader is the header of an API token alone.
func bearerHeader(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

// basicHeader is the header of an address with an API token.
func basicHeader(address, token string) http.Header {
	return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(address+":"+token))}}
}

// header is the cookie alone.
func (s testSession) header() http.Header {
	return http.Header{"Cookie": {"__Host-hush=" + s.cookie}}
}

// page is what a browser sends from a page of the service at url.
func (s testSession) page(url string) http.Header {
	header := s.header()
	header.Set("O-Shrimp", s.shrimp)
	header.Set("Origin", url)
	header.Set("Sec-Fetch-Site", "same-origin")
	return header
}

// testReply is an answer, read to its end.
type testReply struct {
	status int
	header http.Header
	body   string
}

// sendAs sends a request; a body that begins with a brace is JSON, any other
// a form.
func sendAs(t testing.TB, client *http.Client, method, url string, header http.Header, body string) testReply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s %s: got %v, want a request", method, url, err)
	}
	maps.Copy(r.Header, header)
	if m := publicMethods()[r.URL.Path]; m != nil && m.IsStreamingServer() && method == http.MethodPost {
		return streamAs(t, client, r, body)
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
	return testReply{res.StatusCode, res.Header, string(content)}
}

// streamAs calls a stream over Connect with JSON and answers its first message,
// or its error as an RPC without a stream has it.
func streamAs(t testing.TB, client *http.Client, r *http.Request, body string) testReply {
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
		return testReply{res.StatusCode, res.Header, string(content)}
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
		return testReply{http.StatusOK, res.Header, string(content)}
	}
	return testReply{http.StatusBadRequest, res.Header, string(end.Error)}
}

// callAs calls an RPC over Connect with JSON.
func callAs(t testing.TB, client *http.Client, url, procedure string, header http.Header, body string) testReply {
	t.Helper()
	return sendAs(t, client, http.MethodPost, url+procedure, header, body)
}
