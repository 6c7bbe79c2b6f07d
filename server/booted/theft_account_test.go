package booted_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/seal"
	"hush/server/servertest"
)

// The attack: the thief has the data folder, but not the root key. Passwords,
// tokens, sessions, links and addresses of accounts cannot be read in it, in
// any spelling.
func TestTheftOfAccountsWithoutRootKey(t *testing.T) {
	t.Parallel()
	env, s := servertest.StartAccounts(t, servertest.InFolder, "--rate-limits=off")
	servertest.SignIn(t, s, env.Bob.Address, apitest.Password) // a session of this very server
	files := copyOf(t, s.Data)
	loot := slices.Concat(files["hush.db"], files["shares"])
	if !bytes.Contains(loot, []byte(env.Ada.Domain.Name)) {
		t.Errorf("data folder: got no %s, want it, so that the search is known to find what is there", env.Ada.Domain.Name)
	}
	secretsOf(env).Search(t, "the data folder", loot)
}

// The attack: the thief has the data folder and the root key, and computes
// whatever can be computed. No wrapped key opens with what is stored, so no
// entry and no receipt does. With a token of the account, too, all of them
// open: the thief does it right.
func TestTheftOfAccountsWithRootKey(t *testing.T) {
	t.Parallel()
	env, s := servertest.StartAccounts(t, servertest.InFolder, "--rate-limits=off")
	l := readLoot(t, copyOf(t, s.Data))
	for _, bucket := range []string{"account", "pair", "session", "token", "entry", "metadata", "secret"} {
		if len(l.rows[bucket]) == 0 {
			t.Errorf("bucket %s: got no rows, want some to try", bucket)
		}
	}
	tried := 0
	for _, bucket := range []string{"session", "token", "pair"} {
		for _, row := range l.rows[bucket] {
			holders := row.guesses()
			tried += len(holders) * len(sized(row.value, wrappedSize))
			if opened := l.unwrap(row.value, holders); len(opened) > 0 {
				t.Errorf("a key in bucket %s: got it unwrapped by what is stored, want it shut", bucket)
			}
		}
	}
	if tried < 1000 {
		t.Errorf("guesses: got %d, want thousands", tried)
	}
	if links := l.read([]seal.AccountKey{seal.NewAccountKey()}); len(links) > 0 {
		t.Errorf("entries: got %d links with a key of the thief's own, want none", len(links))
	}
	token, _ := seal.ParseAPIToken(env.Ada.Token)
	var keys []seal.AccountKey
	for _, row := range l.rows["token"] {
		keys = append(keys, l.unwrap(row.value, []seal.WrappingSecret{token.WrappingSecret()})...)
	}
	links := strings.Join(l.read(keys), " ")
	for _, kept := range []string{env.Ada.Plain.Secret.Key.Expose(), env.Ada.Guarded.Secret.Key.Expose()} {
		if !strings.Contains(links, kept) {
			t.Error("entries: got no link with a token of the account, want both, so that the guesses are known to be made right")
		}
	}
	if strings.Contains(links, env.Bob.Plain.Secret.Key.Expose()) {
		t.Error("entries: got the link of another account, want none")
	}
}

// The attack: the thief starts the service on the stolen folder, and is its
// operator then. New tokens and passwords let him into every account, whose
// lists stay shut, and nothing that lies in the files is a credential or a
// link. Only who has the link opens the secret.
func TestTheftByOperator(t *testing.T) {
	t.Parallel()
	env, s := servertest.StartAccounts(t, servertest.InFolder, "--rate-limits=off")
	files := copyOf(t, s.Data)
	thief := servertest.StartOn(t, unpack(t, files), "--rate-limits=off", "--moved")
	client, o := servertest.HTTPClient(t, false, nil), servertest.Operator{T: t, Data: thief.Data}
	made := strings.TrimSpace(o.Ok("", "token", "create", env.Ada.Address).Stdout)
	wantShut(t, client, thief, apitest.Bearer(made), env.Ada)
	o.Ok("nine loud thieves\n", "account", "reset-password", "--password-file=-", env.Bob.Address).
		Want(t, "admin account reset-password", command.ExitOK, "its list can no longer show 2 receipts")
	body := fmt.Sprintf(`{"address":%q,"password":"nine loud thieves"}`, env.Bob.Address)
	in := apitest.Call(t, client, thief.URL, "/hush.v1.SessionService/CreateSession", nil, body).OK(t, "sign-in")
	session := apitest.Session{Cookie: (&http.Response{Header: in.Header}).Cookies()[0].Value, Shrimp: in.At(t, "shrimp")}
	wantShut(t, client, thief, session.Page(thief.URL), env.Bob)
	triesCredentials(t, client, thief, readLoot(t, files))
	triesLinks(t, thief, files)
	driver := servertest.Drivers(t, thief, nil)[0]
	driver.Reveal(t.Context(), env.Ada.Plain.Secret.Key.Expose(), "").WantValue(t, "reveal with the link", "of "+env.Ada.Address)
}

// wantShut fails the test if a caller in an account learns of a link there.
func wantShut(t *testing.T, client *http.Client, s *servertest.Server, header http.Header, a apitest.Account) {
	t.Helper()
	var said strings.Builder
	for _, path := range []string{"/api/v1/private/recent", "/api/v2/private/recent", "/api/v2/account"} {
		said.WriteString(apitest.Send(t, client, http.MethodGet, s.URL+path, header, "").OK(t, path).Body)
	}
	for _, procedure := range []string{"MetadataService/ListMetadata", "AccountService/ExportAccount", "AccountService/GetAccount"} {
		said.WriteString(apitest.Call(t, client, s.URL, "/hush.v1."+procedure, header, `{}`).OK(t, procedure).Body)
	}
	for _, key := range []seal.Token{a.Plain.Secret.Key, a.Plain.Metadata.Key, a.Guarded.Secret.Key, a.Guarded.Metadata.Key} {
		if strings.Contains(said.String(), key.Expose()) {
			t.Errorf("account %s on the thief's machine: got a link or a receipt of a live secret, want none", a.ID)
		}
	}
	if !strings.Contains(said.String(), a.Address) {
		t.Errorf("account %s on the thief's machine: got %s, want its owner's address, so that the thief is known to be in it", a.ID, said.String())
	}
}

// triesCredentials sends what is stored of tokens and sessions as if those were
// the credentials.
func triesCredentials(t *testing.T, client *http.Client, s *servertest.Server, l *loot) {
	t.Helper()
	for _, bucket := range []string{"token", "session"} {
		for _, row := range l.rows[bucket] {
			text := hex.EncodeToString(row.key)
			for _, header := range []http.Header{
				apitest.Bearer(text), apitest.Bearer(text[:40]), apitest.Bearer(text[24:]), apitest.Session{Cookie: text}.Header(),
				apitest.Session{Cookie: base64.RawURLEncoding.EncodeToString(row.key)}.Header(),
			} {
				got := apitest.Send(t, client, http.MethodGet, s.URL+"/api/v2/account", header, "")
				if got.Status == http.StatusOK {
					t.Fatalf("account with a row of bucket %s: got %d %s, want a refusal", bucket, got.Status, got.Body)
				}
			}
		}
	}
}

// triesLinks tries every word in the files that has the shape of a link.
func triesLinks(t *testing.T, s *servertest.Server, files map[string][]byte) {
	t.Helper()
	d, tried := servertest.Drivers(t, s, nil)[0], map[string]bool{}
	for _, word := range regexp.MustCompile(`[0-9a-z]{31,}`).FindAll(slices.Concat(files["hush.db"], files["shares"]), -1) {
		for at := 0; at+31 <= len(word); at++ {
			tried[string(word[at:at+31])] = true
		}
	}
	for key := range tried {
		d.Reveal(t.Context(), key, "").Want(t, "reveal of a word in the files", apitest.OutcomeUnknown)
		d.Metadata(t.Context(), key).Want(t, "receipt of a word in the files", apitest.OutcomeUnknown)
	}
}

// The attack: the thief has everything, with links and a token of the account,
// but copied the folder after the account ended. What waited was burned with
// it, for good.
func TestTheftAfterTheEnd(t *testing.T) {
	t.Parallel()
	env, s := servertest.StartAccounts(t, servertest.InFolder, "--rate-limits=off")
	before := copyOf(t, s.Data)
	servertest.Operator{T: t, Data: s.Data}.Ok("", "account", "destroy", "--yes", env.Ada.Address).
		Want(t, "admin account destroy", command.ExitOK, "secrets burned: 2")
	after := copyOf(t, s.Data)
	l := readLoot(t, after)
	token, _ := seal.ParseAPIToken(env.Ada.Token)
	for _, bucket := range []string{"pair", "session", "token"} {
		for _, row := range l.rows[bucket] {
			if opened := l.unwrap(row.value, []seal.WrappingSecret{token.WrappingSecret()}); len(opened) > 0 {
				t.Errorf("a key in bucket %s: got it unwrapped by a token from before, want none left", bucket)
			}
		}
	}
	wantEnded(t, after, env)
	after["hush.db"] = before["hush.db"] // as pages that were not used again may still have it
	wantEnded(t, after, env)
}

// wantEnded starts a stolen folder and tries to open what ada shared, and, to
// know that the folder is a good one, what bob did.
func wantEnded(t *testing.T, files map[string][]byte, env *servertest.Env) {
	t.Helper()
	thief := servertest.StartOn(t, unpack(t, files), "--rate-limits=off", "--moved")
	for _, d := range servertest.Drivers(t, thief, nil) {
		for _, kept := range []apitest.Answer{
			d.Reveal(t.Context(), env.Ada.Plain.Secret.Key.Expose(), ""),
			d.Reveal(t.Context(), env.Ada.Guarded.Secret.Key.Expose(), apitest.Passphrase),
		} {
			if kept.Outcome == apitest.OutcomeOK || kept.Value != "" {
				t.Errorf("%s reveal on the thief's machine: got %s and a value, want a refusal", d.Name(), kept.Outcome)
			}
		}
	}
	servertest.Drivers(t, thief, nil)[0].Reveal(t.Context(), env.Bob.Plain.Secret.Key.Expose(), "").
		WantValue(t, "reveal of what another account shared", "of "+env.Bob.Address)
}
