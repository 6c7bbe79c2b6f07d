package handlers_test

import (
	"maps"
	"net/url"
	"regexp"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

const clearedCookie = "__Host-hush=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for _, c := range []struct {
		remember bool
		want     string
	}{
		{false, `^__Host-hush=[\w-]{43}; Path=/; HttpOnly; Secure; SameSite=Lax$`},
		{true, `^__Host-hush=[\w-]{43}; Path=/; Expires=Sun, 01 Feb 2026 03:04:05 GMT; HttpOnly; Secure; SameSite=Lax$`},
	} {
		b, session := s.signIn(t, c.remember)
		if !regexp.MustCompile(c.want).MatchString(b.set[0]) {
			t.Errorf("CreateSession(remember: %t): got Set-Cookie %q, want %s", c.remember, b.set[0], c.want)
		}
		if session.GetRemembered() != c.remember || !session.GetCurrent() {
			t.Errorf("CreateSession(remember: %t): got %v, want it so and current", c.remember, session)
		}
		if _, err := s.accounts(b).GetAccount(t.Context(), &hushv1.GetAccountRequest{}); err != nil || len(b.set) != 0 {
			t.Errorf("GetAccount with the session: got %v and the cookies %q, want neither", err, b.set)
		}
		if _, err := s.sessions(b).DestroySession(t.Context(), &hushv1.DestroySessionRequest{}); err != nil {
			t.Errorf("DestroySession: got %v, want no error", err)
		}
		if diff := cmp.Diff([]string{clearedCookie}, b.set); diff != "" {
			t.Errorf("DestroySession: Set-Cookie (-want +got):\n%s", diff)
		}
		_, err := s.accounts(b).GetAccount(t.Context(), &hushv1.GetAccountRequest{})
		if connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Errorf("GetAccount after DestroySession: got %v, want unauthenticated", err)
		}
	}
}

func TestSessionShowsItsDevice(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false) // by a program that is not a browser
	firefox := &browser{agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	if _, err := s.sessions(firefox).CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: testAddress, Password: testPassword}); err != nil {
		t.Fatalf("CreateSession: got %v, want no error", err)
	}
	res, err := s.sessions(b).ListSessions(t.Context(), &hushv1.ListSessionsRequest{})
	if err != nil {
		t.Fatalf("ListSessions: got %v, want no error", err)
	}
	devices := map[[2]string]bool{}
	for _, session := range res.GetSessions() {
		devices[[2]string{session.GetBrowser(), session.GetSystem()}] = true
	}
	if want := map[[2]string]bool{{"Firefox", "Linux"}: true, {}: true}; !maps.Equal(devices, want) {
		t.Errorf("ListSessions: got the devices %v, want %v", devices, want)
	}
}

func TestNoCookieWithoutASession(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b := &browser{}
	_, err := s.sessions(b).CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: testAddress, Password: "not the password"})
	if connect.CodeOf(err) != connect.CodePermissionDenied || len(b.set) != 0 {
		t.Errorf("CreateSession with a wrong password: got %v and the cookies %q, want permission denied and none", err, b.set)
	}
	token := s.bearer(t, caller.ScopesAll)
	_, err = s.sessions(token).DestroySession(t.Context(), &hushv1.DestroySessionRequest{})
	if connect.CodeOf(err) != connect.CodeFailedPrecondition || len(token.set) != 0 {
		t.Errorf("DestroySession with a token: got %v and the cookies %q, want a failed precondition and none", err, token.set)
	}
}

// Browsers drop the cookie of a sign-in over plain HTTP, and an eavesdropper
// has seen the password by then.
func TestInsecureBaseURL(t *testing.T) {
	t.Parallel()
	for base, keeps := range map[string]bool{
		"http://hush.example": false, "http://192.0.2.1:8080": false, "http://localhost.example": false,
		"http://[2001:db8::1]": false, "http://127.example": false,
		"http://localhost:3000": true, "http://127.0.0.1": true, "http://127.9.9.9:80": true,
		"http://[::1]:8080": true, "http://[::ffff:127.0.0.1]": true, "https://hush.example": true,
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			parsed, err := url.Parse(base)
			if err != nil {
				t.Fatal(err)
			}
			s := newTestServer(t, vaulttest.Options{}, func(o *handlers.Options) { o.BaseURL = parsed })
			b := &browser{}
			_, err = s.sessions(b).CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: testAddress, Password: testPassword})
			if (err == nil) != keeps || (len(b.set) == 1) != keeps {
				t.Errorf("CreateSession at %s: got %v and the cookies %q, want a session: %t", base, err, b.set, keeps)
			}
			if !keeps && reasonOf(t, err) != hushv1.Refusal_REASON_INSECURE {
				t.Errorf("CreateSession at %s: got %v, want it refused as insecure", base, err)
			}
			policy, err := s.system(b).GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
			if err != nil || policy.GetSignIn() != keeps {
				t.Errorf("GetPolicy at %s: got sign_in %t %v, want %t", base, policy.GetSignIn(), err, keeps)
			}
		})
	}
}

func reasonOf(t *testing.T, err error) hushv1.Refusal_Reason {
	t.Helper()
	refusal, ok := detailOf[*hushv1.Refusal](err)
	if !ok {
		t.Errorf("error: got %v, want one with a Refusal", err)
	}
	return refusal.GetReason()
}

func TestRevokeSessions(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ctx := t.Context()
	first, own := s.signIn(t, false)
	_, other := s.signIn(t, false)
	third, _ := s.signIn(t, true)
	list, err := s.sessions(first).ListSessions(ctx, &hushv1.ListSessionsRequest{})
	if err != nil || len(list.GetSessions()) != 3 {
		t.Fatalf("ListSessions: got %v %v, want three", list, err)
	}
	for _, step := range []struct {
		name  string
		by    *browser
		req   *hushv1.RevokeSessionsRequest
		ended int32
		want  []string
	}{
		{"another", first, &hushv1.RevokeSessionsRequest{SessionIds: []string{other.GetSessionId(), "unknown"}}, 1, nil},
		{"none", first, &hushv1.RevokeSessionsRequest{}, 0, nil},
		{"its own", first, &hushv1.RevokeSessionsRequest{SessionIds: []string{own.GetSessionId()}}, 1, []string{clearedCookie}},
		{"all", third, &hushv1.RevokeSessionsRequest{All: true}, 1, []string{clearedCookie}},
		{"all with a token", s.bearer(t, caller.ScopesAll), &hushv1.RevokeSessionsRequest{All: true}, 0, nil},
	} {
		res, err := s.sessions(step.by).RevokeSessions(ctx, step.req)
		if err != nil || res.GetRevoked() != step.ended {
			t.Errorf("RevokeSessions of %s: got %v %v, want %d", step.name, res, err, step.ended)
		}
		if diff := cmp.Diff(step.want, step.by.set); diff != "" {
			t.Errorf("RevokeSessions of %s: Set-Cookie (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestAuthcheck(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ctx := t.Context()
	whole, err := s.accounts(s.bearer(t, caller.ScopesAll)).GetAccount(ctx, &hushv1.GetAccountRequest{})
	if err != nil {
		t.Fatalf("GetAccount: got %v, want no error", err)
	}
	narrow := &hushv1.Account{
		AccountId: whole.GetAccount().GetAccountId(), Address: testAddress, Role: hushv1.Role_ROLE_CUSTOMER, Verified: true,
	}
	for scopes, want := range map[caller.Scopes]*hushv1.Account{caller.ScopesAll: whole.GetAccount(), caller.ScopeConceal: narrow} {
		res, err := s.sessions(s.bearer(t, scopes)).Authcheck(ctx, &hushv1.AuthcheckRequest{})
		if err != nil {
			t.Fatalf("Authcheck: got %v, want no error", err)
		}
		if diff := cmp.Diff(&hushv1.AuthcheckResponse{Custid: testAddress, Account: want}, res, protocmp.Transform()); diff != "" {
			t.Errorf("Authcheck with the scopes %b (-want +got):\n%s", scopes, diff)
		}
	}
}

// A page of the service that forgets the session's token, or sends another's,
// changes nothing. Neither does a browser that does not name its origin.
func TestSessionNeedsItsToken(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	own, _ := s.signIn(t, false)
	other, _ := s.signIn(t, false)
	for name, shrimp := range map[string]string{"none": "", "another's": other.shrimp} {
		b := &browser{cookie: own.cookie, shrimp: shrimp}
		_, err := s.accounts(b).BurnAllSecrets(t.Context(), &hushv1.BurnAllSecretsRequest{})
		if reasonOf(t, err) != hushv1.Refusal_REASON_SHRIMP {
			t.Errorf("BurnAllSecrets with the token %s: got %v, want it refused", name, err)
		}
	}
	if _, err := s.accounts(own).BurnAllSecrets(t.Context(), &hushv1.BurnAllSecretsRequest{}); err != nil {
		t.Errorf("BurnAllSecrets with its own token: got %v, want no error", err)
	}
}

// Only the host of the base URL has sessions. Not even the names of the machine
// itself count: behind a proxy that does not pass the Host on, every host would
// look like them.
func TestSignInOnTheBaseURLAlone(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, func(o *handlers.Options) {
		o.BaseURL = &url.URL{Scheme: "https", Host: "hush.example:8443"}
	})
	in, _ := s.signIn(t, false)
	for host, home := range map[string]bool{
		"hush.example:8443": true, "hush.example": true, "HUSH.EXAMPLE.": true,
		"secrets.tenant.example": false, "localhost": false, "127.0.0.1:7143": false, "x.hush.example": false, "hush.example.evil.example": false,
	} {
		b := &browser{host: host}
		_, err := s.sessions(b).CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: testAddress, Password: testPassword})
		if home != (err == nil) || home != (len(b.set) == 1) {
			t.Errorf("CreateSession on %s: got %v and the cookies %q, want a session: %t", host, err, b.set, home)
		}
		if !home && reasonOf(t, err) != hushv1.Refusal_REASON_ELSEWHERE {
			t.Errorf("CreateSession on %s: got %v, want it refused as elsewhere", host, err)
		}
		b = &browser{host: host, cookie: in.cookie, shrimp: in.shrimp}
		_, err = s.accounts(b).GetAccount(t.Context(), &hushv1.GetAccountRequest{})
		if home != (err == nil) || !home && !cmp.Equal(b.set, []string{clearedCookie}) {
			t.Errorf("GetAccount on %s with a session: got %v and the cookies %q, want it taken: %t", host, err, b.set, home)
		}
	}
	if _, err := s.accounts(in).GetAccount(t.Context(), &hushv1.GetAccountRequest{}); err != nil {
		t.Errorf("GetAccount at home: got %v, want the session to have stayed", err)
	}
}
