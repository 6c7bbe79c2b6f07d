package apitest_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"hush/routes/apitest"
	"hush/seal"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// clearedSession is the cookie by which a browser forgets its session.
const clearedSession = "__Host-hush=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"

// aliveOf reports whether the next requests with a credential count as its
// owner's, on every protocol.
func aliveOf(t *testing.T, client *http.Client, url string, header http.Header) bool {
	t.Helper()
	rpc := apitest.Call(t, client, url, "/hush.v1.AccountService/GetAccount", header, emptyObject)
	v2 := apitest.Send(t, client, http.MethodGet, url+"/api/v2/account", header, "")
	v1 := apitest.Send(t, client, http.MethodGet, url+"/api/v1/authcheck", header, "")
	taken := rpc.Status == http.StatusOK
	refused := rpc.Status == http.StatusUnauthorized && v2.Status == http.StatusForbidden && v1.Status == http.StatusNotFound
	if (taken && (v1.Status != http.StatusOK || v2.Status != http.StatusOK)) || !taken && !refused {
		t.Errorf("credential: got %d by RPC, %d by v2 and %d by v1, want all to take or to refuse it", rpc.Status, v2.Status, v1.Status)
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
	*apitest.Accounts
	s      *apitest.Server
	mails  *mailbox
	client *http.Client
	own    apitest.Session
}

func (e *endingEnv) must(t *testing.T, procedure, body string) apitest.Reply {
	t.Helper()
	return e.mustBy(t, e.own.Page(e.s.URL), procedure, body)
}

func (e *endingEnv) mustBy(t *testing.T, header http.Header, procedure, body string) apitest.Reply {
	t.Helper()
	got := apitest.Call(t, e.client, e.s.URL, "/hush.v1."+procedure, header, body)
	if got.Status != http.StatusOK {
		t.Fatalf("%s: got %d %s, want 200", procedure, got.Status, got.Body)
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
			e.mustBy(t, apitest.Bearer(e.Ada.Token), "SessionService/RevokeSessions", `{"all":true}`)
		}},
		{name: "sign-out of the others", own: true, tokens: true, by: func(t *testing.T, e *endingEnv) {
			var ids []string
			for _, in := range e.Ada.Sessions {
				if in != e.own {
					ids = append(ids, fmt.Sprintf("%q", in.ID))
				}
			}
			e.must(t, "SessionService/RevokeSessions", `{"session_ids":[`+strings.Join(ids, ",")+`]}`)
		}},
		{name: "password change", own: true, tokens: true, by: func(t *testing.T, e *endingEnv) {
			e.must(t, "AccountService/ChangeAccountPassword", `{"current_password":"`+apitest.Password+`","new_password":"eleven loud geese"}`)
		}},
		{name: "password reset", by: func(t *testing.T, e *endingEnv) {
			e.mustBy(t, nil, "AccountService/RequestPasswordReset", fmt.Sprintf(`{"address":%q}`, e.Ada.Address))
			token := e.mails.tokenFor(t, e.s.Kit, e.Ada.Address, outbox.MailReset)
			e.mustBy(t, nil, "AccountService/ResetPassword", fmt.Sprintf(`{"token":%q,"new_password":"eleven loud geese"}`, token))
		}},
		{name: "end of the account", by: func(t *testing.T, e *endingEnv) {
			wantCleared(t, e.must(t, "AccountService/DestroyAccount", `{"confirmation":"`+apitest.Password+`"}`))
		}},
		{name: "lock by the operator", by: func(t *testing.T, e *endingEnv) {
			_, err := e.s.Kit.Vault.Operator().Accounts.DisableAccount(t.Context(), caller.Text(e.Ada.Address), true)
			vaulttest.Want(t, "DisableAccount", err, nil)
		}},
		{name: "reset by the operator", by: func(t *testing.T, e *endingEnv) {
			_, err := e.s.Kit.Vault.Operator().Accounts.ResetPassword(t.Context(), caller.Text(e.Ada.Address), "eleven loud geese")
			vaulttest.Want(t, "ResetPassword", err, nil)
		}},
	}
}

// mailbox keeps the mails of a vault.
type mailbox struct {
	mu    sync.Mutex
	mails []outbox.Mail
}

// send is vaulttest.Options.Send.
func (m *mailbox) send(_ context.Context, mail outbox.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mails = append(m.mails, mail)
	return nil
}

// tokenFor posts what is due, and returns the token in the latest mail of a kind to an address.
func (m *mailbox) tokenFor(t *testing.T, kit *vaulttest.Kit, address string, kind outbox.MailKind) string {
	t.Helper()
	vaulttest.MustPost(t, kit)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mail := range slices.Backward(m.mails) {
		if mail.To == caller.Text(address) && mail.Kind == kind {
			return string(mail.Key)
		}
	}
	t.Fatalf("mails: got none to %s, want one with a link", address)
	return ""
}

func wantCleared(t *testing.T, got apitest.Reply) {
	t.Helper()
	if set := got.Header.Values("Set-Cookie"); len(set) != 1 || set[0] != clearedSession {
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
			e := &endingEnv{mails: new(mailbox)}
			e.Accounts, e.s = apitest.StartAccounts(t, apitest.Options{Vault: vaulttest.Options{Send: e.mails.send, Policy: caller.Policy{SignUp: caller.SignUpOpen}}})
			e.client = e.s.Client(t, false, nil)
			e.own = e.Ada.Sessions[0]
			others, tokens := e.Ada.Sessions[1:3], []string{e.Ada.Token, e.Ada.Narrow[apitest.Scopes()["account"]]}
			for _, header := range []http.Header{e.own.Page(e.s.URL), others[0].Page(e.s.URL), apitest.Bearer(tokens[0])} {
				if !aliveOf(t, e.client, e.s.URL, header) {
					t.Error("credential before: got it refused, want it good")
				}
			}
			c.by(t, e)
			if got := aliveOf(t, e.client, e.s.URL, e.own.Page(e.s.URL)); got != c.own {
				t.Errorf("session that asked: got good %t, want %t", got, c.own)
			}
			for _, in := range others {
				if got := aliveOf(t, e.client, e.s.URL, in.Page(e.s.URL)); got != c.others {
					t.Errorf("other session: got good %t, want %t", got, c.others)
				}
			}
			for _, token := range tokens {
				for _, header := range []http.Header{apitest.Bearer(token), apitest.Basic(e.Ada.Address, token)} {
					if got := aliveOf(t, e.client, e.s.URL, header); got != c.tokens {
						t.Errorf("API token: got good %t, want %t", got, c.tokens)
					}
				}
			}
			if !aliveOf(t, e.client, e.s.URL, e.Bob.Sessions[0].Page(e.s.URL)) {
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
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	body := fmt.Sprintf(`{"address":%q,"password":%q}`, env.Ada.Address, apitest.Password)
	planted := map[string]http.Header{
		"expired":         env.Expired.Header(),
		"somebody else's": env.Bob.Sessions[0].Page(s.URL),
		"made up":         {"Cookie": {"hush=x; __Host-hush=" + strings.Repeat("A", 43) + "; __Host-hush=" + env.Expired.Cookie}},
	}
	seen := map[string]bool{}
	for name, header := range planted {
		got := apitest.Call(t, client, s.URL, "/hush.v1.SessionService/CreateSession", header, body)
		set := got.Header.Values("Set-Cookie")
		if got.Status != http.StatusOK || len(set) != 1 {
			t.Errorf("CreateSession with a cookie %s: got %d, the cookies %q and %s, want one session", name, got.Status, set, got.Body)
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
		fresh := apitest.Send(t, client, http.MethodGet, s.URL+"/api/v2/account", apitest.Session{Cookie: cookie}.Header(), "")
		if custid := custidOf(t, fresh); custid != env.Ada.Address {
			t.Errorf("the new session: got %q, want the account that signed in", custid)
		}
		after := apitest.Send(t, client, http.MethodGet, s.URL+"/api/v2/authcheck", header, "")
		if strings.Contains(after.Body, env.Ada.Address) {
			t.Errorf("the cookie %s after the sign-in: got %s, want it good for nothing of ada's", name, after.Body)
		}
	}
}

// A session that has run out is as good as none: what is for everybody is
// answered, what is for accounts refused, and the browser is told to forget it.
func TestSessionExpired(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	for name, in := range map[string]apitest.Session{
		"expired": env.Expired, "made up": {Cookie: strings.Repeat("A", 43)}, "of a wrong shape": {Cookie: "x"}, "empty": {},
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
			got := apitest.Send(t, client, call.method, s.URL+call.path, in.Page(s.URL), call.body)
			if got.Status != call.status || strings.Contains(got.Body, env.Ada.Address) {
				t.Errorf("%s %s by a session that is %s: got %d %s, want %d", call.method, call.path, name, got.Status, got.Body, call.status)
			}
			wantCleared(t, got)
		}
	}
}

// A user signs in on two devices at once while the stored hash is due to be
// strengthened: the second one must not be told that the password is wrong.
func TestSignInTwiceAtOnce(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{Vault: vaulttest.Options{Passwords: seal.PasswordParams{MemoryKiB: 128, Time: 1, Threads: 1}}})
	body := `{"address":"` + env.Bob.Address + `","password":"` + apitest.Password + `"}`
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			got := apitest.Call(t, s.Client(t, false, nil), s.URL, "/hush.v1.SessionService/CreateSession", nil, body)
			if got.Status != http.StatusOK {
				t.Errorf("CreateSession: got %d %s, want 200", got.Status, got.Body)
			}
		})
	}
	both.Wait()
}
