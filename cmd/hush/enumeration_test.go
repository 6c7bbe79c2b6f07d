package main

import (
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
)

// The attack: try addresses one after another, to learn who has an account. For
// every call the responses are the same to the byte. drawnShrimp is the token
// that callers without a session get, a new one each time.

// drawnShrimp is the token that callers without a session are given anew each
// time.
var drawnShrimp = regexp.MustCompile(`"shrimp":"[0-9a-z]{49}"`)

// bytesOf is all of an answer but for the time, what is drawn, and what was
// sent.
func bytesOf(got testReply, sent string) string {
	header := got.header.Clone()
	header.Del("Date")
	body := drawnShrimp.ReplaceAllString(got.body, `"shrimp":"drawn"`)
	if sent != "" {
		body = strings.ReplaceAll(body, sent, "sent")
	}
	return fmt.Sprint(got.status, header, "\n", body)
}

// standingsOfAddresses are addresses whose state no caller may learn.
func standingsOfAddresses(k *testEnv) map[string]string {
	return map[string]string{
		"account": k.ada.address, "in capitals": strings.ToUpper(k.ada.address), "unconfirmed": k.dan.address,
		"destroyed": k.bob.address, "unknown": "eve@eve-team.com",
	}
}

// wantAlike wants the same answer to a call for every address. send makes the
// call.
func wantAlike(t *testing.T, k *testEnv, call string, send func(address string) testReply) {
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

func TestEnumeration(t *testing.T) {
	t.Parallel()
	env, s, _ := startAccountsWithMail(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	got := callAs(t, client, s.url, "/hush.v1.AccountService/DestroyAccount", bearerHeader(env.bob.token), `{"confirmation":"`+testPassword+`"}`)
	if got.status != http.StatusOK {
		t.Fatalf("DestroyAccount: got %d %s, want 200", got.status, got.body)
	}
	rpc := func(procedure, body string) func(string) testReply {
		return func(address string) testReply {
			solution := ""
			if strings.Contains(body, "SOLUTION") {
				solution = solveChallenge(t, client, s.url, "signup")
			}
			return callAs(t, client, s.url, procedure, nil, strings.NewReplacer("ADDRESS", address, "SOLUTION", solution).Replace(body))
		}
	}
	const account = "/hush.v1.AccountService/"
	const named, signUp = `{"address":"ADDRESS"}`, `{"address":"ADDRESS","password":"` + testPassword + `"}`
	for range 2 { // the second time mails are held back
		wantAlike(t, env, "RequestPasswordReset", rpc(account+"RequestPasswordReset", named))
		wantAlike(t, env, "ResendVerification", rpc(account+"ResendVerification", named))
	}
	solved := strings.TrimSuffix(signUp, "}") + `,"authenticity_payload":"SOLUTION"}`
	wantAlike(t, env, "CreateAccount", rpc(account+"CreateAccount", solved))
	wantAlike(t, env, "CreateAccount with a bad password", rpc(account+"CreateAccount", strings.Replace(solved, testPassword, "short", 1)))
	wantAlike(t, env, "CreateAccount without a challenge", rpc(account+"CreateAccount", signUp))
	wantAlike(t, env, "RequestAddressChange", func(address string) testReply {
		body := fmt.Sprintf(`{"new_address":%q,"password":%q}`, address, testPassword)
		return callAs(t, client, s.url, account+"RequestAddressChange", bearerHeader(env.cleo.token), body)
	})
}

// Signing in with a wrong password, until it is locked and beyond.
func TestEnumerationSignIn(t *testing.T) {
	t.Parallel()
	env, s, _ := startAccountsWithMail(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	signIn := func(address string) testReply {
		return callAs(t, client, s.url, "/hush.v1.SessionService/CreateSession", nil, fmt.Sprintf(`{"address":%q,"password":"a wrong one"}`, address))
	}
	addresses := map[string]string{"account": env.ada.address, "unconfirmed": env.dan.address}
	for name, other := range map[string]string{"unknown": "eve@eve-team.com", "none at all": "no address"} {
		if diff := cmp.Diff(bytesOf(signIn(env.bob.address), ""), bytesOf(signIn(other), "")); diff != "" {
			t.Errorf("CreateSession for an address that is %s (-account +got):\n%s", name, diff)
		}
	}
	const tries = 5
	for try := range tries + 1 {
		want := signIn("nobody@nobody-team.com")
		if locked := want.status == http.StatusTooManyRequests; locked != (try == tries) {
			t.Errorf("CreateSession, try %d: got %d %s, want it locked after %d", try+1, want.status, want.body, tries)
		}
		for name, address := range addresses {
			got := signIn(address)
			if try == tries { // how long it is locked is counted down
				got.body, want.body = withoutDetails(got.body), withoutDetails(want.body)
				got.header.Del("Content-Length")
				want.header.Del("Content-Length")
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
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	none := strings.Repeat("0", 40)
	bad := map[string]http.Header{
		"known address":                basicHeader(env.ada.address, none),
		"unconfirmed address":          basicHeader(env.dan.address, env.dan.token),
		"another account's token":      basicHeader(env.ada.address, env.bob.token),
		"unknown address, known token": basicHeader("nobody@nobody-team.com", env.ada.token),
		"revoked token":                basicHeader(env.ada.address, env.revoked),
		"the password":                 basicHeader(env.ada.address, testPassword),
		"unknown bearer":               bearerHeader(none),
		"revoked bearer":               bearerHeader(env.revoked),
		"unconfirmed bearer":           bearerHeader(env.dan.token),
		"token of another shape":       bearerHeader("x"),
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
		want := bytesOf(sendAs(t, client, call.method, s.url+call.path, basicHeader("nobody@nobody-team.com", none), call.body), "")
		for name, header := range bad {
			got := bytesOf(sendAs(t, client, call.method, s.url+call.path, header, call.body), "")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s by %s (-unknown +got):\n%s", call.method, call.path, name, diff)
			}
		}
	}
}

// A key that was used is answered like one that there never was.
func TestEnumerationKeys(t *testing.T) {
	t.Parallel()
	_, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	d := newDrivers(t, s, nil)[0]
	kept, burned := mustConceal(t, d, wish{secret: "once", passphrase: "right"}), mustConceal(t, d, wish{secret: "never"})
	d.reveal(t.Context(), kept.secretKey, "right").wantValue(t, "reveal", "once")
	d.burn(t.Context(), burned.metadataKey, "").want(t, "burn", outcomeOK)
	keys := map[string]string{
		"a revealed secret's": kept.secretKey, "a burned secret's": burned.secretKey, "a receipt's": kept.metadataKey,
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
			return bytesOf(sendAs(t, client, call.method, s.url+fill.Replace(call.path), nil, fill.Replace(call.body)), key)
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
	got := callAs(t, client, url, "/hush.v1.ChallengeService/AltchaChallenge", nil, fmt.Sprintf(`{"action":%q}`, action))
	var c struct{ Algorithm, Challenge, MaxNumber, Salt, Signature string }
	if err := json.Unmarshal([]byte(got.body), &c); err != nil {
		t.Fatalf("AltchaChallenge: got %d %s, want a challenge", got.status, got.body)
	}
	most, err := strconv.Atoi(c.MaxNumber)
	if err != nil {
		t.Fatalf("AltchaChallenge: got %s, want a number", got.body)
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
	t.Fatalf("AltchaChallenge: got %s, want one with a solution", got.body)
	return ""
}
