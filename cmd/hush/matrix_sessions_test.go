package main

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"

	"hush/cli/command"
	"hush/mail/mailtest"
)

// clearedSession is the cookie by which a browser forgets its session.
const clearedSession = "__Host-hush=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"

// aliveOf reports whether the next requests with a credential count as its
// owner's, on every protocol.
func aliveOf(t *testing.T, client *http.Client, url string, header http.Header) bool {
	t.Helper()
	rpc := callAs(t, client, url, "/hush.v1.AccountService/GetAccount", header, emptyObject)
	v2 := sendAs(t, client, http.MethodGet, url+"/api/v2/account", header, "")
	v1 := sendAs(t, client, http.MethodGet, url+"/api/v1/authcheck", header, "")
	taken := rpc.status == http.StatusOK
	refused := rpc.status == http.StatusUnauthorized && v2.status == http.StatusForbidden && v1.status == http.StatusNotFound
	if (taken && (v1.status != http.StatusOK || v2.status != http.StatusOK)) || !taken && !refused {
		t.Errorf("credential: got %d by RPC, %d by v2 and %d by v1, want all to take or to refuse it", rpc.status, v2.status, v1.status)
	}
	return taken
}

// ending is a way in which credentials end.
type ending struct {
	name string
	// by is called by ada with the session that sees it done.
	by func(t *testing.T, e *endingEnv)
	// own, others and tokens report whether the session of the call, the other
	// sessions and the API tokens stay.
	own, others, tokens bool
}

// endingEnv is a running server with all that an ending may need.
type endingEnv struct {
	*testEnv
	s      *testServer
	relay  *mailtest.Server
	client *http.Client
	own    testSession
}

func (e *endingEnv) must(t *testing.T, procedure, body string) testReply {
	t.Helper()
	return e.mustBy(t, e.own.page(e.s.url), procedure, body)
}

func (e *endingEnv) mustBy(t *testing.T, header http.Header, procedure, body string) testReply {
	t.Helper()
	got := callAs(t, e.client, e.s.url, "/hush.v1."+procedure, header, body)
	if got.status != http.StatusOK {
		t.Fatalf("%s: got %d %s, want 200", procedure, got.status, got.body)
	}
	return got
}

func endings() []ending {
	return []ending{
		{name: "sign-out", others: true, tokens: true, by: func(t *testing.T, e *endingEnv) {
			wantCleared(t, e.must(t, "SessionService/DestroySession", emptyObject))
		}},
		{name: "sign-out everywhere", tokens: true, by: func(t *testing.T, e *endingEnv) {
			wantCleared(t, e.must(t, "SessionService/RevokeSessions", `{"all":true}`))
		}},
		{name: "sign-out everywhere by a token", tokens: true, by: func(t *testing.T, e *endingEnv) {
			e.mustBy(t, bearerHeader(e.ada.token), "SessionService/RevokeSessions", `{"all":true}`)
		}},
		{name: "sign-out of the others", own: true, tokens: true, by: func(t *testing.T, e *endingEnv) {
			var ids []string
			for _, in := range e.ada.sessions {
				if in != e.own {
					ids = append(ids, fmt.Sprintf("%q", in.id))
				}
			}
			e.must(t, "SessionService/RevokeSessions", `{"session_ids":[`+strings.Join(ids, ",")+`]}`)
		}},
		{name: "password change", own: true, tokens: true, by: func(t *testing.T, e *endingEnv) {
			e.must(t, "AccountService/ChangeAccountPassword", `{"current_password":"`+testPassword+`","new_password":"eleven loud geese"}`)
		}},
		{name: "password reset", by: func(t *testing.T, e *endingEnv) {
			e.relay.Forget()
			e.mustBy(t, nil, "AccountService/RequestPasswordReset", fmt.Sprintf(`{"address":%q}`, e.ada.address))
			token := path.Base(linkTo(t, e.relay, e.ada.address, "/reset/"))
			e.mustBy(t, nil, "AccountService/ResetPassword", fmt.Sprintf(`{"token":%q,"new_password":"eleven loud geese"}`, token))
		}},
		{name: "end of the account", by: func(t *testing.T, e *endingEnv) {
			wantCleared(t, e.must(t, "AccountService/DestroyAccount", `{"confirmation":"`+testPassword+`"}`))
		}},
		{name: "lock by the operator", by: func(t *testing.T, e *endingEnv) {
			call(t, nil, "", "admin", "account", "disable", "--data", e.s.data, e.ada.address).want(t, "admin account disable", command.ExitOK)
		}},
		{name: "reset by the operator", by: func(t *testing.T, e *endingEnv) {
			call(t, nil, "eleven loud geese\n", "admin", "account", "reset-password", "--password-file=-", "--data", e.s.data, e.ada.address).
				want(t, "admin account reset-password", command.ExitOK)
		}},
	}
}

// linkTo waits for a mail to an address and returns its link with that path.
func linkTo(t *testing.T, relay *mailtest.Server, address, path string) string {
	t.Helper()
	for n := 1; ; n++ {
		for _, mail := range relay.Wait(t, n) {
			if mail.To[0] == address && strings.Contains(mail.Text(), path) {
				return mail.Link(t)
			}
		}
	}
}

func wantCleared(t *testing.T, got testReply) {
	t.Helper()
	if set := got.header.Values("Set-Cookie"); len(set) != 1 || set[0] != clearedSession {
		t.Errorf("answer that ends the session: got the cookies %q, want it cleared", set)
	}
}

// Whatever ends a credential, the very next request that comes with it is
// refused, over every protocol.
func TestSessionEndings(t *testing.T) {
	t.Parallel()
	for _, c := range endings() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := &endingEnv{client: newHTTPClient(t, false, nil)}
			e.testEnv, e.s, e.relay = startAccountsWithMail(t, "--rate-limits=off", "--log-level=error")
			e.own = e.ada.sessions[0]
			others, tokens := e.ada.sessions[1:3], []string{e.ada.token, e.ada.narrow[testScopes()["account"]]}
			for _, header := range []http.Header{e.own.page(e.s.url), others[0].page(e.s.url), bearerHeader(tokens[0])} {
				if !aliveOf(t, e.client, e.s.url, header) {
					t.Error("credential before: got it refused, want it good")
				}
			}
			c.by(t, e)
			if got := aliveOf(t, e.client, e.s.url, e.own.page(e.s.url)); got != c.own {
				t.Errorf("session that asked: got good %t, want %t", got, c.own)
			}
			for _, in := range others {
				if got := aliveOf(t, e.client, e.s.url, in.page(e.s.url)); got != c.others {
					t.Errorf("other session: got good %t, want %t", got, c.others)
				}
			}
			for _, token := range tokens {
				for _, header := range []http.Header{bearerHeader(token), basicHeader(e.ada.address, token)} {
					if got := aliveOf(t, e.client, e.s.url, header); got != c.tokens {
						t.Errorf("API token: got good %t, want %t", got, c.tokens)
					}
				}
			}
			if !aliveOf(t, e.client, e.s.url, e.bob.sessions[0].page(e.s.url)) {
				t.Error("somebody else's session: got it refused, want it good")
			}
		})
	}
}

// The attack: plant a cookie in the victim's browser, wait for the sign-in, and
// use the cookie. A sign-in gives the browser a new random session, and the
// planted one stays useless.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	body := fmt.Sprintf(`{"address":%q,"password":%q}`, env.ada.address, testPassword)
	planted := map[string]http.Header{
		"expired":         env.expired.header(),
		"somebody else's": env.bob.sessions[0].page(s.url),
		"made up":         {"Cookie": {"hush=x; __Host-hush=" + strings.Repeat("A", 43) + "; __Host-hush=" + env.expired.cookie}},
	}
	seen := map[string]bool{}
	for name, header := range planted {
		got := callAs(t, client, s.url, "/hush.v1.SessionService/CreateSession", header, body)
		set := got.header.Values("Set-Cookie")
		if got.status != http.StatusOK || len(set) != 1 {
			t.Errorf("CreateSession with a cookie %s: got %d, the cookies %q and %s, want one session", name, got.status, set, got.body)
			continue
		}
		cookie, attributes, _ := strings.Cut(strings.TrimPrefix(set[0], "__Host-hush="), "; ")
		if attributes != "Path=/; HttpOnly; Secure; SameSite=Lax" || len(cookie) != 43 {
			t.Errorf("CreateSession: got Set-Cookie %q, want one that browsers keep to themselves", set[0])
		}
		if seen[cookie] || strings.Contains(header.Get("Cookie"), cookie) {
			t.Errorf("CreateSession with a cookie %s: got a session that was known before", name)
		}
		seen[cookie] = true
		fresh := sendAs(t, client, http.MethodGet, s.url+"/api/v2/account", testSession{cookie: cookie}.header(), "")
		if custid := custidOf(t, fresh); custid != env.ada.address {
			t.Errorf("the new session: got %q, want the account that signed in", custid)
		}
		after := sendAs(t, client, http.MethodGet, s.url+"/api/v2/authcheck", header, "")
		if strings.Contains(after.body, env.ada.address) {
			t.Errorf("the cookie %s after the sign-in: got %s, want it good for nothing of ada's", name, after.body)
		}
	}
}

// A session that has run out is as good as none: what is for everybody is
// answered, what is for accounts refused, and the browser is told to forget it.
func TestSessionExpired(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	for name, in := range map[string]testSession{
		"expired": env.expired, "made up": {cookie: strings.Repeat("A", 43)}, "of a wrong shape": {cookie: "x"}, "empty": {},
	} {
		for _, call := range []struct {
			method, path, body string
			status             int
		}{
			{"GET", "/api/v1/status", "", 200},
			{"POST", "/api/v1/share", "secret=x", 200},
			{"GET", "/api/v1/authcheck", "", 404},
			{"GET", "/api/v2/status", "", 200},
			{"POST", "/api/v2/secret/conceal", "secret=x", 200},
			{"GET", "/api/v2/account", "", 403},
			{"POST", "/hush.v1.SystemService/GetPolicy", emptyObject, 200},
			{"POST", "/hush.v1.SecretService/ConcealSecret", `{"secret":"x"}`, 200},
			{"POST", "/hush.v1.AccountService/GetAccount", emptyObject, 401},
			{"POST", "/hush.v1.SessionService/DestroySession", emptyObject, 401},
			{"GET", "/signin", "", 200},
		} {
			got := sendAs(t, client, call.method, s.url+call.path, in.page(s.url), call.body)
			if got.status != call.status || strings.Contains(got.body, env.ada.address) {
				t.Errorf("%s %s by a session that is %s: got %d %s, want %d", call.method, call.path, name, got.status, got.body, call.status)
			}
			wantCleared(t, got)
		}
	}
}

// A user signs in on two devices at once while the stored hash is due to be
// strengthened: the second one must not be told that the password is wrong.
func TestSignInTwiceAtOnce(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	body := `{"address":"` + env.bob.address + `","password":"` + testPassword + `"}`
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			got := callAs(t, newHTTPClient(t, false, nil), s.url, "/hush.v1.SessionService/CreateSession", nil, body)
			if got.status != http.StatusOK {
				t.Errorf("CreateSession: got %d %s, want 200", got.status, got.body)
			}
		})
	}
	both.Wait()
}
