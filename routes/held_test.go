package routes_test

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"hush/handlers"
	"hush/routes"
	"hush/routes/apitest"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// The attack: steal a session or a token, send the headers of a request, and hold
// its body back until the owner has ended what was stolen. The gate let the headers
// in; the body must find the door shut.

// heldBody is a body that comes only after release has run.
type heldBody struct {
	io.Reader
	release func()
}

func (b *heldBody) Read(into []byte) (int, error) {
	if release := b.release; release != nil {
		b.release = nil
		release()
	}
	return b.Reader.Read(into)
}

// holder is an account whose credentials end in a test.
type holder struct {
	address caller.Text
	id      caller.AccountID
	in      session.SignedIn
	token   string
	named   credential.APIToken
}

// newHolder returns a new account with a session and a token for an hour.
func (s *site) newHolder(t *testing.T, role account.Role) *holder {
	t.Helper()
	ctx, all := t.Context(), s.kit.Vault
	s.holders++
	h := &holder{address: caller.Text(strings.Repeat("a", s.holders%50+1) + string(rune('a'+s.holders/50%26)) + string(rune('a'+s.holders/1300)) + "@example.com")}
	made, err := all.Operator().SignUps.CreateAccount(ctx, signup.OperatorAccount{Address: h.address, Password: password, Role: role})
	vaulttest.Want(t, "CreateAccount()", err, nil)
	h.id = made.ID
	h.in, err = all.Sessions.CreateSession(ctx, vaulttest.Caller(1), h.address, password, false)
	vaulttest.Want(t, "CreateSession()", err, nil)
	token, named, err := all.Operator().Tokens.CreateToken(ctx, h.address, credential.NewToken{Name: "held", TTL: new(time.Hour)})
	vaulttest.Want(t, "CreateToken()", err, nil)
	h.token, h.named = token.Expose(), named
	return h
}

// page puts what a page of the service sends with the holder's session into a header.
func (h *holder) page(header http.Header) {
	header.Set("Cookie", "__Host-hush="+h.in.Cookie.Expose())
	header.Set("O-Shrimp", h.in.Shrimp)
	header.Set("Sec-Fetch-Site", "same-origin")
}

func (h *holder) bearer(header http.Header) { header.Set("Authorization", "Bearer "+h.token) }

// caller returns the holder by a further session.
func (h *holder) caller(t *testing.T, s *site) caller.Caller {
	t.Helper()
	return s.kit.MustSignIn(t, h.address, password)
}

// ending is a way in which a credential ends.
type ending struct {
	name           string
	session, token bool // ends sessions, tokens
	role           bool // ends the colonel's role alone
	by             func(t *testing.T, s *site, h *holder)
}

func endings() []ending {
	return []ending{
		{name: "nothing", by: func(*testing.T, *site, *holder) {}},
		{name: "RevokeSessions", session: true, by: func(t *testing.T, s *site, h *holder) {
			_, err := s.kit.Vault.Sessions.RevokeSessions(t.Context(), h.caller(t, s), nil, true)
			vaulttest.Want(t, "RevokeSessions()", err, nil)
		}},
		{name: "sign-out", session: true, by: func(t *testing.T, s *site, h *holder) {
			own := s.kit.MustAuthenticate(t, session.Credential{Session: caller.Text(h.in.Cookie.Expose())})
			vaulttest.Want(t, "DestroySession()", s.kit.Vault.Sessions.DestroySession(t.Context(), own), nil)
		}},
		{name: "a changed password", session: true, by: func(t *testing.T, s *site, h *holder) {
			err := s.kit.Vault.Passwords.ChangeAccountPassword(t.Context(), h.caller(t, s), password, "eleven loud geese")
			vaulttest.Want(t, "ChangeAccountPassword()", err, nil)
		}},
		{name: "a password reset", session: true, token: true, by: func(t *testing.T, s *site, h *holder) {
			_, err := s.kit.Vault.Operator().Accounts.ResetPassword(t.Context(), h.address, "eleven loud geese")
			vaulttest.Want(t, "ResetPassword()", err, nil)
		}},
		{name: "time without use", session: true, by: func(_ *testing.T, s *site, _ *holder) {
			s.kit.Clock.Advance(credential.SessionIdle)
		}},
		{name: "a revoked token", token: true, by: func(t *testing.T, s *site, h *holder) {
			vaulttest.Want(t, "RevokeAPIToken()", s.kit.Vault.Tokens.RevokeAPIToken(t.Context(), h.caller(t, s), h.named.ID), nil)
		}},
		{name: "a rotated token", token: true, by: func(t *testing.T, s *site, h *holder) {
			_, _, err := s.kit.Vault.Tokens.GenerateAPIToken(t.Context(), h.caller(t, s), credential.NewToken{Name: "held", Rotate: true})
			vaulttest.Want(t, "GenerateAPIToken()", err, nil)
		}},
		{name: "an expired token", token: true, by: func(_ *testing.T, s *site, _ *holder) { s.kit.Clock.Advance(time.Hour) }},
		{name: "a destroyed account", session: true, token: true, by: func(t *testing.T, s *site, h *holder) {
			_, err := s.kit.Vault.DestroyAccount(t.Context(), h.caller(t, s), password)
			vaulttest.Want(t, "DestroyAccount()", err, nil)
		}},
		{name: "a disabled account", session: true, token: true, by: func(t *testing.T, s *site, h *holder) {
			_, err := s.kit.Vault.Operator().Accounts.DisableAccount(t.Context(), h.address, true)
			vaulttest.Want(t, "DisableAccount()", err, nil)
		}},
		{name: "a lost role", role: true, by: func(t *testing.T, s *site, h *holder) {
			_, err := s.kit.Vault.Operator().Accounts.SetRole(t.Context(), h.address, account.RoleCustomer)
			vaulttest.Want(t, "SetRole()", err, nil)
		}},
	}
}

func newHeldSite(t *testing.T) *site {
	t.Helper()
	return newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(made *handlers.Options, _ *routes.Options) { made.RateLimits = false })
}

// heldCall is a call whose body is held back until an ending.
type heldCall struct {
	method, path, kind, body string
	colonel                  bool
	anyone                   bool // takes an invalid credential for none
}

// send makes the call with a credential; the body comes after release. It reports
// whether the body was asked for.
func (c heldCall) send(s *site, as func(http.Header), release func()) (w *httptest.ResponseRecorder, asked bool) {
	body := &heldBody{strings.NewReader(c.body), func() { asked = true; release() }}
	r := httptest.NewRequest(c.method, "https://hush.example"+c.path, body)
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/2.0", 2, 0
	if c.method != http.MethodGet {
		r.Header.Set("Content-Type", c.kind)
	}
	as(r.Header)
	w = httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	return w, asked
}

// framed is a message as streams and gRPC frame it.
func framed(message string) string {
	return string(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...))
}

// rpcCalls has each RPC in each protocol.
func rpcCalls(t *testing.T) (connects, others []heldCall) {
	t.Helper()
	api, err := handlers.Described()
	vaulttest.Want(t, "Described()", err, nil)
	for _, mount := range api.Mounts {
		for _, procedure := range mount.Procedures {
			colonel := strings.Contains(procedure, "ColonelService/") || strings.HasSuffix(procedure, "Invite") || strings.HasSuffix(procedure, "Invites")
			connected := heldCall{method: http.MethodPost, path: procedure, kind: "application/json", body: `{}`, colonel: colonel}
			if strings.Contains(procedure, "/Watch") {
				connected.kind, connected.body = "application/connect+json", framed(`{}`)
			}
			connects = append(connects, connected)
			for _, kind := range []string{"application/grpc+json", "application/grpc-web+json"} {
				others = append(others, heldCall{method: http.MethodPost, path: procedure, kind: kind, body: framed(`{}`), colonel: colonel})
			}
		}
	}
	return connects, others
}

// refused reports whether an RPC was refused for its credential or, if it is for
// colonels, as one that there is not.
func (c heldCall) refused(w *httptest.ResponseRecorder) bool {
	res := w.Result()
	body, status := w.Body.String(), res.Header.Get("Grpc-Status")+res.Trailer.Get("Grpc-Status")
	code := connect.CodeUnauthenticated
	if c.colonel {
		code = connect.CodeUnimplemented
	}
	number := strconv.Itoa(int(code))
	return status == number || strings.Contains(body, "grpc-status: "+number) || strings.Contains(body, `"code":"`+code.String()+`"`)
}

// Every RPC, over every protocol, crossed with every way in which a session or a
// token ends while the body is held back.
func TestHeldRPCs(t *testing.T) {
	t.Parallel()
	s := newHeldSite(t)
	connects, others := rpcCalls(t)
	if len(connects) < 69 {
		t.Fatalf("RPCs: got %d, want all", len(connects))
	}
	for i, e := range endings() {
		calls := connects
		if i < 2 || e.name == "a revoked token" {
			calls = slices.Concat(others, connects)
		}
		for _, c := range calls {
			s.wantHeld(t, c, e, c.refused)
		}
	}
}

// wantHeld makes a call with a session and with a token, and checks that it is
// refused if the ending ends what it came with, and not otherwise.
func (s *site) wantHeld(t *testing.T, c heldCall, e ending, refused func(*httptest.ResponseRecorder) bool) {
	t.Helper()
	role := account.RoleCustomer
	if c.colonel {
		role = account.RoleColonel
	}
	for _, with := range []struct {
		name string
		as   func(*holder) func(http.Header)
		ends bool
	}{
		{"a session", func(h *holder) func(http.Header) { return h.page }, e.session},
		{"a token", func(h *holder) func(http.Header) { return h.bearer }, e.token},
	} {
		ends := with.ends || e.role && c.colonel
		if !ends && e.name != "nothing" {
			continue
		}
		h := s.newHolder(t, role)
		w, asked := c.send(s, with.as(h), func() { e.by(t, s, h) })
		if !asked && c.method != http.MethodGet {
			t.Errorf("%s %s (%s) with %s: got the body unread, want it read", c.method, c.path, c.kind, with.name)
		}
		if got := refused(w); asked && got != ends && !(c.anyone && !ends) {
			t.Errorf("%s %s (%s) with %s, held until %s: got refused %t (%d %s %v), want %t", c.method, c.path, c.kind, with.name, e.name, got, w.Code, w.Body, w.Result().Trailer, ends)
		}
		if set := w.Header().Values("Set-Cookie"); ends && len(set) > 0 {
			t.Errorf("%s %s (%s) with %s, held until %s: got the cookies %q, want none: the browser may have another session", c.method, c.path, c.kind, with.name, e.name, set)
		}
	}
}

// rowCalls has each row of v1, v2 and v3 and each page that calls an RPC.
func rowCalls(t *testing.T) (calls []heldCall) {
	t.Helper()
	api, err := handlers.Described()
	vaulttest.Want(t, "Described()", err, nil)
	for _, e := range routes.Endpoints(api) {
		if len(e.Procedures) == 0 {
			continue
		}
		c := heldCall{method: e.Method, kind: "application/json", colonel: strings.HasSuffix(e.Path, "/colonel"), anyone: e.AnyCredential}
		c.path = strings.NewReplacer("{key}", apitest.Key, "{domain}", "nothing.example.com", "{domainId}", apitest.Key).Replace(e.Path)
		switch {
		case e.Version == "":
			c.kind, c.body = "application/x-www-form-urlencoded", pageBody(e.Operation)
		case e.Method != http.MethodGet:
			c.body = apitest.RowBody(t, e.Operation)
		}
		calls = append(calls, c)
	}
	return calls
}

// pageBody is a body that the form of a page sends.
func pageBody(operation string) string {
	switch operation {
	case "ConcealSecret":
		return "secret=x"
	case "RevealSecret or page":
		return "continue=true"
	case "VerifyAccount", "ResetPassword":
		return "password=sixteen+tall+oaks"
	default:
		return ""
	}
}

// shrimps are the tokens in an answer that are drawn for each.
var shrimps = regexp.MustCompile(`[0-9a-z]{49}`)

// Every legacy row and every page, crossed with the same. A row whose credential has
// ended answers as to one that never was.
func TestHeldRows(t *testing.T) {
	t.Parallel()
	s := newHeldSite(t)
	calls := rowCalls(t)
	if len(calls) < 100 {
		t.Fatalf("rows: got %d, want all", len(calls))
	}
	for _, c := range calls {
		never, _ := c.send(s, func(header http.Header) { header.Set("Authorization", "Bearer 0000") }, func() {})
		for _, e := range endings() {
			s.wantHeld(t, c, e, func(w *httptest.ResponseRecorder) bool {
				return w.Code == never.Code && shrimps.ReplaceAllString(w.Body.String(), "") == shrimps.ReplaceAllString(never.Body.String(), "")
			})
		}
	}
}
