package routes_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"hush/handlers"
	"hush/routes"
	"hush/vault/account"
	"hush/vault/vaulttest"
)

const (
	contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
		"connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types hush"
	unknownKey = "secretkey0000000000000000000000"
)

// clientPaths returns all paths of the web client.
func clientPaths() []string {
	return []string{
		"/", "/s", "/s/", "/e", "/e/", "/e%23" + unknownKey, "/e%2523" + unknownKey, "/s%23" + unknownKey, "/s%2523" + unknownKey + "?utm=1", "/e%23", "/e%23a%2Fb", "/%65%23%73", "/q", "/q/", "/c", "/q%23" + unknownKey, "/c%2523" + unknownKey, "/r", "/secret/" + unknownKey, "/secret/" + unknownKey + ".?utm_source=x&a=%zz", "/private/a", "/metadata/a", "/receipt/a?continue=true",
		"/signin", "/signin/", "/signup", "/signup/a", "/verify/a", "/reset", "/reset/a", "/confirm/a", "/recent",
		"/account", "/account/", "/account/requests", "/account/tokens", "/account/domains", "/account/domains/a.example", "/colonel", "/feedback", "/about", "/security",
	}
}

// wantStrict checks the headers of every response outside the API. It leaves
// the referrer policy to the caller.
func wantStrict(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	for header, want := range map[string]string{
		"Content-Security-Policy": contentPolicy, "Cache-Control": "no-store",
		"X-Robots-Tag": "noindex, nofollow", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Strict-Transport-Security": "max-age=63072000; includeSubDomains",
	} {
		if got := w.Header().Get(header); got != want {
			t.Errorf("%s: got %s %q, want %q", name, header, got, want)
		}
	}
	permissions := w.Header().Get("Permissions-Policy")
	if rest := strings.Replace(permissions, "clipboard-write=(self)", "", 1); !strings.Contains(rest, "camera=(), ") || strings.Contains(rest, "self") || rest == permissions {
		t.Errorf("%s: got Permissions-Policy %q, want it to permit writing to the clipboard alone", name, permissions)
	}
}

// onHost returns a request to the service's own host.
func onHost(s *site, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	return s.send(method, "https://hush.example"+path, body, headers...)
}

func TestClientPaths(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	for _, path := range clientPaths() {
		w := onHost(s, http.MethodGet, path, "")
		wantPage(t, "GET "+path, w, http.StatusOK, `<html lang="en"`, "<noscript>", "</noscript>", "<h1>")
		wantStrict(t, "GET "+path, w)
		for _, part := range []string{"<style", "style=", "http-equiv", "onclick", unknownKey, "javascript:"} {
			if strings.Contains(w.Body.String(), part) {
				t.Errorf("GET %s: got %s, want none", path, part)
			}
		}
		want := "no-referrer"
		if strings.Contains(w.Body.String(), "<form") {
			want = "same-origin"
		}
		if got := w.Header().Get("Referrer-Policy"); got != want {
			t.Errorf("GET %s: got Referrer-Policy %q, want %q", path, got, want)
		}
		if inline := regexp.MustCompile(`<script[^>]*>[^<]`).FindString(w.Body.String()); inline != "" {
			t.Errorf("GET %s: got a script within the page: %s", path, inline)
		}
	}
}

// Everything that the page loads exists and may be cached.
func TestPageLoadsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	page := onHost(s, http.MethodGet, "/", "").Body.String()
	for _, found := range regexp.MustCompile(` (?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		w := onHost(s, http.MethodGet, found[1], "")
		caching := w.Header().Get("Cache-Control")
		if w.Code != http.StatusOK || strings.HasPrefix(found[1], "/assets/") != strings.Contains(caching, "immutable") {
			t.Errorf("GET %s: got %d, Cache-Control %q, want a file", found[1], w.Code, caching)
		}
	}
}

// The page of a link is the same for every key: it does not reveal whether
// there is a secret, and repeats nothing.
func TestPagesSayNothingOfKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	for _, path := range []string{"/secret/", "/private/", "/metadata/", "/receipt/", "/signup/", "/verify/", "/reset/", "/confirm/", "/account/domains/"} {
		one := s.send(http.MethodGet, path+unknownKey, "").Body.String()
		other := s.send(http.MethodGet, path+"%3Cscript%3Ealert(1)", "").Body.String()
		if one != other || strings.Contains(one, "secretkey0") {
			t.Errorf("GET %s: got %s and %s, want one page", path, one, other)
		}
	}
}

func TestStrictEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Host: "hush.example"})
	for _, test := range []struct {
		method, path, body string
		status             int
		headers            []string
	}{
		{"GET", "/nothing", "", 404, nil},
		{"GET", "/e/x", "", 404, nil},
		{"GET", "/e/%23x", "", 404, nil},
		{"GET", "/ex", "", 404, nil},
		{"GET", "/e%2323", "", 200, nil},
		{"GET", "/e%252523x", "", 404, nil},
		{"GET", "/e%22x", "", 404, nil},
		{"GET", "/s/x", "", 404, nil},
		{"GET", "/r%23x", "", 404, nil},
		{"POST", "/e%23x", "", 405, nil},
		{"POST", "/nothing", "a=b", 404, nil},
		{"GET", "/assets/nothing.js", "", 404, nil},
		{"GET", "/nothing.png", "", 404, nil},
		{"GET", "/imagine/nothing/logo.png", "", 404, nil},
		{"GET", "/dl/0123456789abcdef", "", 404, nil},
		{"GET", "/dl/", "", 404, nil},
		{"POST", "/dl/0123456789abcdef", "", 405, nil},
		{"PUT", "/", "", 405, nil},
		{"OPTIONS", "/secret/a", "", 405, nil},
		{"PROPFIND", "/about", "", 405, nil},
		{"GET", "/healthz", "", 200, nil},
		{"GET", "/robots.txt", "", 200, nil},
		{"POST", "/secret/a", "continue=true", 404, nil},
		{"POST", "/secret/a", "continue=%ff", 422, nil},
		{"POST", "/secret/a", "{", 400, []string{"Content-Type", "application/json"}},
		{"POST", "/secret/a", "continue=true", 403, []string{"Origin", "https://evil.example"}},
		{"POST", "/private/a", "", 404, nil},
		{"POST", "/verify/a", "", 422, nil},
		{"GET", "/account", "", 200, []string{"Authorization", "Bearer wrong"}},
		{"GET", "/about", "", 200, []string{"Sec-Fetch-Site", "cross-site"}},
		{"HEAD", "/", "", 200, nil},
	} {
		w := onHost(s, test.method, test.path, test.body, test.headers...)
		if w.Code != test.status {
			t.Errorf("%s %s: got %d, want %d", test.method, test.path, w.Code, test.status)
		}
		wantStrict(t, test.method+" "+test.path, w)
	}
}

// A request that fails midway gets the same strict headers.
func TestStrictAfterPanic(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(_ *handlers.Options, served *routes.Options) {
		served.Now = func() time.Time { panic("the clock is broken") }
	})
	for _, request := range []struct{ method, path string }{{"GET", "/"}, {"POST", "/secret/a"}, {"POST", "/verify/a"}} {
		w := onHost(s, request.method, request.path, "")
		if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "clock") {
			t.Errorf("%s %s: got %d %s, want 500 that tells nothing", request.method, request.path, w.Code, w.Body)
		}
		wantStrict(t, request.method+" "+request.path, w)
	}
}

// Every response of a service with TLS tells browsers to use only TLS, and no
// response of one without does. Hosts below a customer's domain belong to the
// customer.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	const own, below = "max-age=63072000; includeSubDomains", "max-age=63072000"
	for _, test := range []struct{ base, host, want string }{
		{"https://hush.example", "https://hush.example", own},
		{"https://hush.example:8443", "https://HUSH.example:8443", own},
		{"https://hush.example", "https://secrets.customer.example", below},
		{"https://hush.example", "https://hush.example.customer.example", below},
		{"https://[::1]:8443", "https://[::1]:8443", own},
		{"http://hush.example", "http://hush.example", ""},
		{"http://localhost:7300", "https://localhost:7300", ""},
	} {
		s := newSite(t, test.base, vaulttest.Options{})
		for _, path := range []string{"/", "/nothing", "/api/v1/status", "/api/v2/nothing", "/hush.v1.SystemService/GetStatus", "/imagine/a/logo.png", "/healthz"} {
			if got := s.send(http.MethodGet, test.host+path, "").Header().Get("Strict-Transport-Security"); got != test.want {
				t.Errorf("GET %s%s at %s: got Strict-Transport-Security %q, want %q", test.host, path, test.base, got, test.want)
			}
		}
	}
}

func TestPagesSpeakTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	words := catalogue(t)
	for _, test := range []struct{ path, language, tag, want string }{
		{"/", "de", "de", words.Text("de", "page.share.title")},
		{"/secret/a", "ja,en;q=0.5", "ja", words.Text("ja", "page.secret.button")},
		{"/s", "pt-BR", "pt-BR", words.Text("pt_BR", "page.fragment.title")},
		{"/e", "ja", "ja", words.Text("ja", "page.end_to_end.explanation")},
		{"/q", "ar", "ar", words.Text("ar", "page.answer.explanation")},
		{"/c", "de", "de", words.Text("de", "page.collect.advice")},
		{"/e%23x", "nl", "nl", words.Text("nl", "page.escaped.explanation")},
		{"/private/a", "uk", "uk", words.Text("uk", "page.receipt.title")},
		{"/nothing", "es-MX", "es", words.Text("es", "page.unknown.explanation")},
		{"/about", "tlh", "en", "Secrets that open once"},
		{"/about", "", "en", "Secrets that open once"},
	} {
		w := s.send(http.MethodGet, test.path, "", "Accept-Language", test.language)
		if body := w.Body.String(); !strings.Contains(body, `<html lang="`+test.tag+`"`) || !strings.Contains(body, test.want) {
			t.Errorf("GET %s in %q: got %s, want %q in %s", test.path, test.language, body, test.want, test.tag)
		}
	}
	authorization := s.account(t, ada, account.RoleCustomer)
	s.send(http.MethodPost, "/api/v2/account/update-locale", "locale=pl", "Authorization", authorization)
	w := s.send(http.MethodGet, "/", "", "Authorization", authorization, "Accept-Language", "de")
	wantPage(t, "GET / with an account", w, http.StatusOK, `<html lang="pl"`, words.Text("pl", "page.share.title"))
}

// Links whose key stays in the browser explain how to open them without
// scripts.
func TestFragmentPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	wantPage(t, "GET /s", s.send(http.MethodGet, "/s", ""), http.StatusOK, "replace /s# with /secret/ in the address")
	wantPage(t, "GET /e", s.send(http.MethodGet, "/e", ""), http.StatusOK, "This link opens an end-to-end encrypted secret.", "with the hush client")
	wantPage(t, "GET /q", s.send(http.MethodGet, "/q", ""), http.StatusOK, "This link asks you for a secret.", "hush answer")
	wantPage(t, "GET /c", s.send(http.MethodGet, "/c", ""), http.StatusOK, "This link collects the answers to a request.", "hush collect")
	wantPage(t, "GET /s%23", s.send(http.MethodGet, "/s%23"+unknownKey, ""), http.StatusOK, "This link was changed on its way")
	wantPage(t, "GET /r", s.send(http.MethodGet, "/r", ""), http.StatusOK, "replace /r# with /private/ in the address")
}
