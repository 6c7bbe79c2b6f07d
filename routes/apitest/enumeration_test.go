package apitest_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/routes/apitest"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// The attack: try addresses one after another, to learn who has an account. For
// every call the responses are the same to the byte. drawnShrimp is the token
// that callers without a session get, a new one each time.

// drawnShrimp is the token that callers without a session are given anew each
// time.
var drawnShrimp = regexp.MustCompile(`"shrimp":"[0-9a-z]{49}"`)

// bytesOf is all of an answer but for the time, what is drawn, and what was
// sent.
func bytesOf(got apitest.Reply, sent string) string {
	header := got.Header.Clone()
	header.Del("Date")
	body := drawnShrimp.ReplaceAllString(got.Body, `"shrimp":"drawn"`)
	if sent != "" {
		body = strings.ReplaceAll(body, sent, "sent")
	}
	return fmt.Sprint(got.Status, header, "\n", body)
}

// standingsOfAddresses are addresses whose state no caller may learn.
func standingsOfAddresses(k *apitest.Accounts) map[string]string {
	return map[string]string{
		"account": k.Ada.Address, "in capitals": strings.ToUpper(k.Ada.Address), "unconfirmed": k.Dan.Address,
		"destroyed": k.Bob.Address, "unknown": "eve@eve-team.com",
	}
}

// wantAlike wants the same answer to a call for every address. send makes the
// call.
func wantAlike(t *testing.T, k *apitest.Accounts, call string, send func(address string) apitest.Reply) {
	t.Helper()
	want := bytesOf(send("nobody@nobody-team.com"), "")
	for name, address := range standingsOfAddresses(k) {
		got := send(address)
		if diff := cmp.Diff(want, bytesOf(got, "")); diff != "" {
			t.Errorf("%s for an address that is %s (-unknown +got):\n%s", call, name, diff)
		}
	}
	if strings.HasPrefix(want, "5") {
		t.Errorf("%s: got %s, want no fault", call, want)
	}
}

// mailing are the options of a vault that sends mails, and takes everybody who signs up.
func mailing() vaulttest.Options {
	return vaulttest.Options{
		Policy: caller.Policy{SignUp: caller.SignUpOpen}, Send: func(context.Context, outbox.Mail) error { return nil },
	}
}

func TestEnumeration(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{Vault: mailing()})
	client := s.Client(t, false, nil)
	got := apitest.Call(t, client, s.URL, "/hush.v1.AccountService/DestroyAccount", apitest.Bearer(env.Bob.Token), `{"confirmation":"`+apitest.Password+`"}`)
	if got.Status != http.StatusOK {
		t.Fatalf("DestroyAccount: got %d %s, want 200", got.Status, got.Body)
	}
	rpc := func(procedure, body string) func(string) apitest.Reply {
		return func(address string) apitest.Reply {
			solution := ""
			if strings.Contains(body, "SOLUTION") {
				solution = solveChallenge(t, client, s.URL, "signup")
			}
			return apitest.Call(t, client, s.URL, procedure, nil, strings.NewReplacer("ADDRESS", address, "SOLUTION", solution).Replace(body))
		}
	}
	const account = "/hush.v1.AccountService/"
	const named, signUp = `{"address":"ADDRESS"}`, `{"address":"ADDRESS","password":"` + apitest.Password + `"}`
	for range 2 { // the second time mails are held back
		wantAlike(t, env, "RequestPasswordReset", rpc(account+"RequestPasswordReset", named))
		wantAlike(t, env, "ResendVerification", rpc(account+"ResendVerification", named))
	}
	solved := strings.TrimSuffix(signUp, "}") + `,"authenticity_payload":"SOLUTION"}`
	wantAlike(t, env, "CreateAccount", rpc(account+"CreateAccount", solved))
	wantAlike(t, env, "CreateAccount with a bad password", rpc(account+"CreateAccount", strings.Replace(solved, apitest.Password, "short", 1)))
	wantAlike(t, env, "CreateAccount without a challenge", rpc(account+"CreateAccount", signUp))
	wantAlike(t, env, "RequestAddressChange", func(address string) apitest.Reply {
		body := fmt.Sprintf(`{"new_address":%q,"password":%q}`, address, apitest.Password)
		return apitest.Call(t, client, s.URL, account+"RequestAddressChange", apitest.Bearer(env.Cleo.Token), body)
	})
}

// Signing in with a wrong password, until it is locked and beyond.
func TestEnumerationSignIn(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{Vault: mailing()})
	client := s.Client(t, false, nil)
	signIn := func(address string) apitest.Reply {
		return apitest.Call(t, client, s.URL, "/hush.v1.SessionService/CreateSession", nil, fmt.Sprintf(`{"address":%q,"password":"a wrong one"}`, address))
	}
	addresses := map[string]string{"account": env.Ada.Address, "unconfirmed": env.Dan.Address}
	for name, other := range map[string]string{"unknown": "eve@eve-team.com", "none at all": "no address"} {
		if diff := cmp.Diff(bytesOf(signIn(env.Bob.Address), ""), bytesOf(signIn(other), "")); diff != "" {
			t.Errorf("CreateSession for an address that is %s (-account +got):\n%s", name, diff)
		}
	}
	const tries = 5
	for try := range tries + 1 {
		want := signIn("nobody@nobody-team.com")
		if locked := want.Status == http.StatusTooManyRequests; locked != (try == tries) {
			t.Errorf("CreateSession, try %d: got %d %s, want it locked after %d", try+1, want.Status, want.Body, tries)
		}
		for name, address := range addresses {
			got := signIn(address)
			if try == tries { // how long it is locked is counted down
				got.Body, want.Body = withoutDetails(got.Body), withoutDetails(want.Body)
				got.Header.Del("Content-Length")
				want.Header.Del("Content-Length")
			}
			if diff := cmp.Diff(bytesOf(want, ""), bytesOf(got, "")); diff != "" {
				t.Errorf("CreateSession, try %d, for an address that is %s (-unknown +got):\n%s", try+1, name, diff)
			}
		}
	}
}

func withoutDetails(body string) string {
	before, _, _ := strings.Cut(body, `"details"`)
	return before
}

// Credentials of the API that are not good, whatever is wrong with them.
func TestEnumerationBasic(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	none := strings.Repeat("0", 40)
	bad := map[string]http.Header{
		"known address":                apitest.Basic(env.Ada.Address, none),
		"unconfirmed address":          apitest.Basic(env.Dan.Address, env.Dan.Token),
		"another account's token":      apitest.Basic(env.Ada.Address, env.Bob.Token),
		"unknown address, known token": apitest.Basic("nobody@nobody-team.com", env.Ada.Token),
		"revoked token":                apitest.Basic(env.Ada.Address, env.Revoked),
		"the password":                 apitest.Basic(env.Ada.Address, apitest.Password),
		"unknown bearer":               apitest.Bearer(none),
		"revoked bearer":               apitest.Bearer(env.Revoked),
		"unconfirmed bearer":           apitest.Bearer(env.Dan.Token),
		"token of another shape":       apitest.Bearer("x"),
	}
	for _, call := range []struct{ method, path, body string }{
		{"GET", "/api/v1/status", ""},
		{"GET", "/api/v1/authcheck", ""},
		{"GET", "/api/v1/private/recent", ""},
		{"POST", "/api/v1/share", "secret=x"},
		{"GET", "/api/v2/account", ""},
		{"POST", "/api/v2/secret/conceal", "secret=x"},
		{"POST", "/hush.v1.AccountService/GetAccount", emptyObject},
		{"POST", "/hush.v1.SystemService/GetStatus", emptyObject},
	} {
		want := bytesOf(apitest.Send(t, client, call.method, s.URL+call.path, apitest.Basic("nobody@nobody-team.com", none), call.body), "")
		for name, header := range bad {
			got := bytesOf(apitest.Send(t, client, call.method, s.URL+call.path, header, call.body), "")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s by %s (-unknown +got):\n%s", call.method, call.path, name, diff)
			}
		}
	}
}

// A key that was used is answered like one that there never was.
func TestEnumerationKeys(t *testing.T) {
	t.Parallel()
	_, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	d := s.Drivers(t, nil)[0]
	kept, burned := apitest.MustConceal(t, d, apitest.Terms{Secret: "once", Passphrase: "right"}), apitest.MustConceal(t, d, apitest.Terms{Secret: "never"})
	d.Reveal(t.Context(), kept.SecretKey, "right").WantValue(t, "reveal", "once")
	d.Burn(t.Context(), burned.MetadataKey, "").Want(t, "burn", apitest.OutcomeOK)
	keys := map[string]string{
		"a revealed secret's": kept.SecretKey, "a burned secret's": burned.SecretKey, "a receipt's": kept.MetadataKey,
		"of another shape": strings.Repeat("Z", 31),
	}
	for _, call := range []struct{ method, path, body string }{
		{"POST", "/api/v1/secret/KEY", "passphrase=x"},
		{"GET", "/api/v2/secret/KEY", ""},
		{"POST", "/api/v2/secret/KEY/reveal", "continue=true&passphrase=x"},
		{"GET", "/api/v2/secret/KEY/status", ""},
		{"POST", "/hush.v1.SecretService/GetSecret", `{"secret_key":"KEY"}`},
		{"POST", "/hush.v1.SecretService/RevealSecret", `{"secret_key":"KEY","passphrase":"x"}`},
		{"POST", "/hush.v1.SecretService/GetSecretStatus", `{"secret_key":"KEY"}`},
	} {
		send := func(key string) string {
			fill := strings.NewReplacer("KEY", key)
			return bytesOf(apitest.Send(t, client, call.method, s.URL+fill.Replace(call.path), nil, fill.Replace(call.body)), key)
		}
		want := send(unknownKey)
		for name, key := range keys {
			if diff := cmp.Diff(want, send(key)); diff != "" {
				t.Errorf("%s %s with a key that is %s (-unknown +got):\n%s", call.method, call.path, name, diff)
			}
		}
	}
}

// solveChallenge asks for a challenge and solves it.
func solveChallenge(t testing.TB, client *http.Client, url, action string) string {
	t.Helper()
	got := apitest.Call(t, client, url, "/hush.v1.ChallengeService/AltchaChallenge", nil, fmt.Sprintf(`{"action":%q}`, action))
	var c struct{ Algorithm, Challenge, MaxNumber, Salt, Signature string }
	if err := json.Unmarshal([]byte(got.Body), &c); err != nil {
		t.Fatalf("AltchaChallenge: got %d %s, want a challenge", got.Status, got.Body)
	}
	most, err := strconv.Atoi(c.MaxNumber)
	if err != nil {
		t.Fatalf("AltchaChallenge: got %s, want a number", got.Body)
	}
	for n := range most + 1 {
		sum := sha256.Sum256([]byte(c.Salt + strconv.Itoa(n)))
		if hex.EncodeToString(sum[:]) != c.Challenge {
			continue
		}
		solved, err := json.Marshal(map[string]any{
			"algorithm": c.Algorithm, "challenge": c.Challenge, "number": n, "salt": c.Salt, "signature": c.Signature,
		})
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(solved)
	}
	t.Fatalf("AltchaChallenge: got %s, want one with a solution", got.Body)
	return ""
}
