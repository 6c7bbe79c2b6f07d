package routes_test

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes"
	"hush/vault/account"
	"hush/vault/vaulttest"
)

const (
	appOrigin   = "https://app.example"
	otherOrigin = "https://other.example"
	watchPath   = "/hush.v1.MetadataService/WatchMetadata"
)

func newCrossSite(t *testing.T, origins ...string) *site {
	t.Helper()
	return newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(o *handlers.Options, _ *routes.Options) {
		o.CORSOrigins, o.RateLimits = origins, false
	})
}

// crossCall is a call of the API as a page's script makes it.
type crossCall struct {
	name, method, path string
	contentType, body  string
	needsToken         bool
}

// crossCalls returns a call in every protocol, of a secret that anyone may share and
// of an account.
func crossCalls() []crossCall {
	const form = "application/x-www-form-urlencoded"
	return []crossCall{
		{"Connect", "POST", "/hush.v1.SecretService/ConcealSecret", "application/json", `{"secret":"x"}`, false},
		{"Connect of an account", "POST", "/hush.v1.AccountService/GetAccount", "application/json", `{}`, true},
		{"Connect GET", "GET", "/hush.v1.SystemService/GetStatus?encoding=json&message=%7B%7D&connect=v1", "", "", false},
		{"gRPC-Web", "POST", "/hush.v1.SecretService/ConcealSecret", "application/grpc-web+proto", framed("\x0a\x01x"), false},
		{"gRPC-Web of an account", "POST", "/hush.v1.AccountService/GetAccount", "application/grpc-web+proto", framed(""), true},
		{"v1", "POST", "/api/v1/share", form, "secret=x", false},
		{"v1 of an account", "GET", "/api/v1/private/recent", "", "", true},
		{"v2", "POST", "/api/v2/secret/conceal", "application/json", `{"secret":"x"}`, false},
		{"v2 of an account", "PUT", "/api/v2/account/domains/x.example/brand", "application/json", `{"brand":{}}`, true},
		{"v3", "POST", "/api/v3/guest/secret/conceal", "application/json", `{"secret":"x"}`, false},
		{"v3 of an account", "GET", "/api/v3/receipt/recent", "", "", true},
	}
}

// send sends the call from an origin, with further headers.
func (c crossCall) send(s *site, origin string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
	r.Host = "hush.example"
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Origin", origin)
	if c.contentType != "" {
		r.Header.Set("Content-Type", c.contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	return w
}

// preflight asks for the call as a browser does before it.
func (c crossCall) preflight(s *site, origin, headers string) *httptest.ResponseRecorder {
	ask := crossCall{method: http.MethodOptions, path: c.path}
	return ask.send(s, origin, "Access-Control-Request-Method", c.method, "Access-Control-Request-Headers", headers)
}

// wantOrigin checks which origin may read the answer, and that no cookie ever counts.
func wantOrigin(t *testing.T, what string, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	if got := w.Header().Get("Access-Control-Allow-Origin"); got != want {
		t.Errorf("%s: got Access-Control-Allow-Origin %q, want %q (%d %s)", what, got, want, w.Code, w.Body)
	}
	if got := w.Header().Values("Access-Control-Allow-Credentials"); got != nil {
		t.Errorf("%s: got Access-Control-Allow-Credentials %q, want none", what, got)
	}
	if vary := strings.Join(w.Header().Values("Vary"), ","); !strings.Contains(vary, "Origin") {
		t.Errorf("%s: got Vary %q, want Origin in it", what, vary)
	}
}

// isOK reports whether a call succeeded, in its protocol.
func isOK(w *httptest.ResponseRecorder) bool {
	refused := strings.Contains(w.Body.String(), "grpc-status: ") && !strings.Contains(w.Body.String(), "grpc-status: 0") ||
		!slices.Contains([]string{"", "0"}, w.Header().Get("Grpc-Status"))
	return w.Code == http.StatusOK && !refused
}

func TestNamedOrigin(t *testing.T) {
	t.Parallel()
	s := newCrossSite(t, appOrigin, "http://localhost:5173")
	h := s.newHolder(t, account.RoleCustomer)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(string(h.address)+":"+h.token))
	for _, c := range crossCalls() {
		asked := "authorization,connect-protocol-version,connect-timeout-ms,content-type,grpc-timeout,x-grpc-web,x-user-agent"
		w := c.preflight(s, appOrigin, asked)
		wantOrigin(t, "preflight of "+c.name, w, appOrigin)
		if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") != asked || w.Header().Get("Access-Control-Allow-Methods") != c.method {
			t.Errorf("preflight of %s: got %d %v, want its method and headers", c.name, w.Code, w.Header())
		}
		for _, authorization := range []string{"Bearer " + h.token, basic} {
			w = c.send(s, appOrigin, "Authorization", authorization)
			if c.path == "/api/v2/account/domains/x.example/brand" {
				w.Code = map[bool]int{true: 200, false: w.Code}[w.Code == http.StatusNotFound] // the account has no such domain
			}
			if !isOK(w) {
				t.Errorf("%s with %.5s: got %d %v %s, want it answered", c.name, authorization, w.Code, w.Header(), w.Body)
			}
			if c.method != "POST" || !strings.HasSuffix(c.path, "/conceal") { // whose rows are open to every page
				wantOrigin(t, c.name, w, appOrigin)
				if exposed := w.Header().Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Grpc-Status-Details-Bin") || !strings.Contains(exposed, "Retry-After") {
					t.Errorf("%s: got Access-Control-Expose-Headers %q, want those of gRPC-Web and ours", c.name, exposed)
				}
			}
		}
	}
}

// A refusal can be read too, whatever refused the call.
func TestNamedOriginReadsRefusals(t *testing.T) {
	t.Parallel()
	s := newCrossSite(t, appOrigin)
	for _, c := range []crossCall{
		{"a token that is none", "POST", "/hush.v1.AccountService/GetAccount", "application/json", `{}`, true},
		{"an unknown RPC", "POST", "/hush.v1.AccountService/Nothing", "application/json", `{}`, true},
		{"an unknown row", "GET", "/api/v2/nothing", "", "", true},
		{"a method that a row lacks", "DELETE", "/api/v2/status", "", "", true},
		{"a media type that no protocol has", "POST", "/hush.v1.AccountService/GetAccount", "text/css", `{}`, true},
	} {
		wantOrigin(t, c.name, c.send(s, appOrigin, "Authorization", "Bearer x"), appOrigin)
	}
}

// The attack: a page of an origin that the operator did not name calls the API, or one
// whose origin looks like a named one.
func TestOtherOriginsStayOut(t *testing.T) {
	t.Parallel()
	named, off := newCrossSite(t, appOrigin), newCrossSite(t)
	origins := []string{
		otherOrigin, "http://app.example", "https://app.example:8443", "https://app.example.evil.example", "https://x.app.example",
		"https://app.example/", "https://evil.example@app.example", "null", "HTTPS://APP.EXAMPLE", "https://app.example, https://evil.example",
	}
	origins = append(origins, appOrigin+".") // a name as a browser does not send it
	for _, c := range crossCalls() {
		open := strings.HasSuffix(c.path, "/conceal")
		if w := c.preflight(off, appOrigin, "content-type"); !open && w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("preflight of %s without the setting: got Access-Control-Allow-Origin %q, want none", c.name, w.Header().Get("Access-Control-Allow-Origin"))
		}
		for _, s := range []*site{named, off} {
			for _, origin := range origins {
				if w := c.preflight(s, origin, "content-type"); !open && w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("preflight of %s from %s: got Access-Control-Allow-Origin %q, want none", c.name, origin, w.Header().Get("Access-Control-Allow-Origin"))
				}
				w := c.send(s, origin)
				if got := w.Header().Get("Access-Control-Allow-Origin"); !open && got != "" {
					t.Errorf("%s from %s: got Access-Control-Allow-Origin %q, want none", c.name, origin, got)
				}
				if s == named && !open {
					wantOrigin(t, c.name+" from "+origin, w, "")
				}
			}
		}
	}
}

// The attack: a script of another origin, named or not, lets the browser of someone who
// is signed in add its cookie. Such a call has no account.
func TestCrossOriginCookieIsNoSession(t *testing.T) {
	t.Parallel()
	for _, origins := range [][]string{{appOrigin}, {chain.AnyOrigin}, nil} {
		s := newCrossSite(t, origins...)
		h := s.newHolder(t, account.RoleCustomer)
		for _, c := range crossCalls() {
			for _, site := range []string{"cross-site", "same-site", ""} {
				w := c.send(s, appOrigin, "Cookie", "__Host-hush="+h.in.Cookie.Expose(), "O-Shrimp", h.in.Shrimp, "Sec-Fetch-Site", site)
				if c.needsToken && isOK(w) {
					t.Errorf("%s with a cookie (%s, origins %q): got %d %s, want it refused", c.name, site, origins, w.Code, w.Body)
				}
				if strings.Contains(w.Body.String(), string(h.address)) || w.Header().Get("Set-Cookie") != "" {
					t.Errorf("%s with a cookie (%s, origins %q): got %s %v, want nothing of the account", c.name, site, origins, w.Body, w.Header())
				}
				if slices.Contains(origins, chain.AnyOrigin) && !strings.HasSuffix(c.path, "/conceal") {
					wantOrigin(t, c.name+" with a cookie", w, "")
				}
			}
		}
	}
}

// People sign up, sign in and reset passwords on the service's own pages only.
func TestNamedOriginMakesNoSession(t *testing.T) {
	t.Parallel()
	s := newCrossSite(t, appOrigin)
	h := s.newHolder(t, account.RoleCustomer)
	for _, c := range []crossCall{
		{"CreateSession", "POST", "/hush.v1.SessionService/CreateSession", "application/json", `{"address":"` + string(h.address) + `","password":"` + password + `"}`, false},
		{"CreateAccount", "POST", "/hush.v1.AccountService/CreateAccount", "application/json", `{"address":"b@example.com","password":"` + password + `"}`, false},
		{"ResetPassword", "POST", "/hush.v1.AccountService/ResetPassword", "application/json", `{"token":"x","password":"` + password + `"}`, false},
		{"the form of a page", "POST", "/", "application/x-www-form-urlencoded", "secret=x", false},
	} {
		w := c.send(s, appOrigin)
		if w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: got %d %s, want 403 without a cookie", c.name, w.Code, w.Body)
		}
	}
}

// With * every page may call, but with nothing that gives it authority.
func TestAnyOriginHasNoCredential(t *testing.T) {
	t.Parallel()
	s := newCrossSite(t, chain.AnyOrigin)
	h := s.newHolder(t, account.RoleCustomer)
	for _, c := range crossCalls() {
		if strings.HasSuffix(c.path, "/conceal") {
			// Open to every page, also with a token, whatever the setting.
			wantOrigin(t, "preflight of "+c.name+" with a token", c.preflight(s, appOrigin, "authorization,content-type"), chain.AnyOrigin)
			continue
		}
		for _, origin := range []string{appOrigin, "null"} {
			wantOrigin(t, "preflight of "+c.name, c.preflight(s, origin, "content-type"), chain.AnyOrigin)
			wantOrigin(t, "preflight of "+c.name+" with a token", c.preflight(s, origin, "authorization,content-type"), "")
			w := c.send(s, origin)
			wantOrigin(t, c.name, w, chain.AnyOrigin)
			if isOK(w) == c.needsToken {
				t.Errorf("%s from %s: got %d %s, want it answered unless it needs a token", c.name, origin, w.Code, w.Body)
			}
			wantOrigin(t, c.name+" with a token", c.send(s, origin, "Authorization", "Bearer "+h.token), "")
		}
	}
}

// The stream of a receipt is readable like any other call.
func TestNamedOriginWatches(t *testing.T) {
	t.Parallel()
	s := newCrossSite(t, appOrigin)
	for contentType, body := range map[string]string{"application/connect+json": framed(`{"metadataKey":"` + strings.Repeat("a", 31) + `"}`), "application/grpc-web+json": framed(`{"metadataKey":"` + strings.Repeat("a", 31) + `"}`)} {
		c := crossCall{contentType, http.MethodPost, watchPath, contentType, body, false}
		wantOrigin(t, "preflight of "+c.name, c.preflight(s, appOrigin, "connect-protocol-version,content-type"), appOrigin)
		wantOrigin(t, c.name, c.send(s, appOrigin), appOrigin)
	}
}

// A preflight says nothing of what exists, and is no probe for the log.
func TestPreflightSaysNothing(t *testing.T) {
	t.Parallel()
	s := newCrossSite(t, appOrigin)
	var first string
	for _, path := range []string{"/hush.v1.ColonelService/ListBackups", "/hush.v1.SecretService/Nothing", "/api/v2/colonel", "/api/v3/nothing"} {
		c := crossCall{method: http.MethodPost, path: path}
		w := c.preflight(s, appOrigin, "content-type")
		got := cmp.Or(w.Body.String(), "empty") + strings.Join(w.Header().Values("Vary"), ",")
		if first = cmp.Or(first, got); got != first || w.Code != http.StatusNoContent {
			t.Errorf("preflight of %s: got %d %q, want 204 %q", path, w.Code, got, first)
		}
	}
	if log := s.log(); !strings.Contains(log, "route=preflight") {
		t.Errorf("log: got %s, want the preflights by that name", log)
	}
	page := crossCall{method: http.MethodPost, path: "/"}
	if w := page.preflight(s, appOrigin, "content-type"); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of a page: got %v, want pages left out", w.Header())
	}
}
