package routes_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes"
)

var update = flag.Bool("update", false, "rewrite golden files")

// newAPI returns the API of no vault, behind an open gate, with two mounts.
func newAPI(t *testing.T) *handlers.API {
	t.Helper()
	api, err := handlers.Described()
	if err != nil {
		t.Fatal(err)
	}
	api.Gate = func(context.Context, http.Header, ...string) error { return nil }
	api.Middleware = func(h http.Handler) http.Handler { return h }
	api.Mounts = []chain.Mount{
		{Path: "/hush.v1.SecretService/", Handler: http.HandlerFunc(mounted), Procedures: []string{
			"/hush.v1.SecretService/BurnSecret", "/hush.v1.SecretService/ConcealSecret",
		}},
		{Path: "/grpc.health.v1.Health/", Handler: http.HandlerFunc(mounted)},
	}
	return api
}

func catalogue(t *testing.T) *locale.Catalogue {
	t.Helper()
	words, err := locale.New()
	if err != nil {
		t.Fatalf("reading messages: got error %v", err)
	}
	return words
}

func mounted(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Mounted", r.URL.Path)
}

func newTree(t *testing.T) http.Handler {
	t.Helper()
	base := &url.URL{Scheme: "https", Host: "hush.example", Path: "/"}
	h, err := routes.New(routes.Options{API: newAPI(t), BaseURL: base, Catalogue: catalogue(t)})
	if err != nil {
		t.Fatalf("New(): got error %v", err)
	}
	return h
}

func request(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := routes.WriteTable(&b, routes.Table(newAPI(t))); err != nil {
		t.Fatalf("WriteTable(): got error %v", err)
	}
	const golden = "testdata/routes.golden"
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatalf("writing golden file: %v", err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("reading golden file: %v", err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("Table(): got difference\n%s", diff)
	}
}

// rowsWithoutMounts returns the table of an API without the RPCs.
func rowsWithoutMounts(t *testing.T) []routes.Row {
	t.Helper()
	api := newAPI(t)
	api.Mounts = nil
	return routes.Table(api)
}

func TestTableWithoutMounts(t *testing.T) {
	all, some := routes.Table(newAPI(t)), rowsWithoutMounts(t)
	if len(some) != len(all)-3 {
		t.Errorf("Table(): got %d rows, want %d without 3 mounts", len(some), len(all))
	}
}

func TestNewRefuses(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "hush.example"}
	words := catalogue(t)
	for name, opts := range map[string]routes.Options{
		"nothing":           {},
		"no base URL":       {API: newAPI(t), Catalogue: words},
		"relative base URL": {API: newAPI(t), Catalogue: words, BaseURL: &url.URL{Path: "/x"}},
		"no middleware":     {API: &handlers.API{}, Catalogue: words, BaseURL: base},
		"no gate":           {API: &handlers.API{Chain: newAPI(t).Chain, Middleware: newAPI(t).Middleware}, Catalogue: words, BaseURL: base},
		"no chain":          {API: &handlers.API{Middleware: newAPI(t).Middleware, Gate: newAPI(t).Gate}, Catalogue: words, BaseURL: base},
		"no API":            {BaseURL: base, Catalogue: words},
		"no catalogue":      {API: newAPI(t), BaseURL: base},
	} {
		if _, err := routes.New(opts); err == nil {
			t.Errorf("New(%s): got no error, want one", name)
		}
	}
}

func TestMounts(t *testing.T) {
	h := newTree(t)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		const path = "/hush.v1.SecretService/BurnSecret"
		if got := request(h, method, path).Header().Get("Mounted"); got != path {
			t.Errorf("%s %s: got to %q", method, path, got)
		}
	}
}

func TestMiddlewareWrapsAll(t *testing.T) {
	api := newAPI(t)
	api.Middleware = func(http.Handler) http.Handler { return http.HandlerFunc(mounted) }
	base := &url.URL{Scheme: "https", Host: "hush.example"}
	h, err := routes.New(routes.Options{API: api, BaseURL: base, Catalogue: catalogue(t)})
	if err != nil {
		t.Fatalf("New(): got error %v", err)
	}
	for _, path := range []string{"/", "/healthz", "/api/v1/status", "/nothing", "/hush.v1.SecretService/BurnSecret"} {
		if request(h, http.MethodGet, path).Header().Get("Mounted") == "" {
			t.Errorf("GET %s: got past the middleware", path)
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	h := newTree(t)
	for path, want := range map[string]string{
		"/api":                             `{"message":"Not Found"}`,
		"/api/":                            `{"message":"Not Found"}`,
		"/api/share":                       `{"message":"Not Found"}`,
		"/api/v3":                          `{"error":"Not Found","error_type":"NotFound"}`,
		"/api/v3/account":                  `{"error":"Not Found","error_type":"NotFound"}`,
		"/api/v4/status":                   `{"message":"Not Found"}`,
		"/api/v1":                          `{"message":"Not Found"}`,
		"/api/v1/":                         `{"message":"Not Found"}`,
		"/api/v1/nothing":                  `{"message":"Not Found"}`,
		"/api/v2/nothing":                  `{"message":"Not Found"}`,
		"/api/v2/accounts":                 `{"message":"Not Found"}`,
		"/api/v2/colonel":                  `{"message":"Not Found"}`,
		"/api/v2/colonel/":                 `{"message":"Not Found"}`,
		"/api/v2/colonel?a=%zz":            `{"message":"Not Found"}`,
		"/api/v2/domains/a.example/":       `{"message":"Not Found"}`,
		"/api/v2/domains/a/logo/x":         `{"message":"Not Found"}`,
		"/api/v1/private/":                 `{"message":"Not Found"}`,
		"/api/v1/private/key/":             `{"message":"Not Found"}`,
		"/api/v2/secret/key/x":             `{"message":"Not Found"}`,
		"/api/v1/../v1/status":             `{"message":"Not Found"}`,
		"/api/v1//status":                  `{"message":"Not Found"}`,
		"/api/v1%2Fstatus":                 `{"message":"Not Found"}`,
		"//api//v2//status":                `{"message":"Not Found"}`,
		"/api/v1/secret/key%2Freveal/burn": `{"message":"Not Found"}`,
	} {
		w := request(h, http.MethodGet, path)
		if w.Code != http.StatusNotFound || w.Body.String() != want {
			t.Errorf("GET %s: got %d %s, want 404 %s", path, w.Code, w.Body, want)
		}
		if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("GET %s: got Content-Type %q", path, got)
		}
	}
	for _, path := range []string{
		"/nothing", "/nothing.html", "/index.html", "/assets", "/secret/", "/apis", "/api2/x", "//apis", "//secret/key",
		"/verify/", "/imagine/a", "/imagine/a/logo.svg", "/imagine/a/LOGO.png", "/imagine/a/logo.png/", "/imagine/a/b/logo.png",
	} {
		w := request(h, http.MethodGet, path)
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("GET %s: got %d %s, want a page", path, w.Code, w.Header())
		}
	}
}

func TestMethodNotAllowed(t *testing.T) {
	h := newTree(t)
	for _, test := range []struct{ method, path, allow string }{
		{"POST", "/api/v1/status", "GET, HEAD"},
		{"POST", "/api/v1/status/", "GET, HEAD"},
		{"GET", "/api/v1/share", "POST"},
		{"GET", "/api/v1/secret/key", "POST"},
		{"HEAD", "/api/v1/secret/key", "POST"},
		{"DELETE", "/api/v1/private/key", "GET, HEAD, POST"},
		{"DELETE", "/api/v1/private/recent", "GET, HEAD, POST"},
		{"GET", "/api/v1/private/key/burn", "POST"},
		{"OPTIONS", "/api/v1/share", "POST"},
		{"PROPFIND", "/api/v1/share", "POST"},
		{"PUT", "/api/v2/secret/conceal", "GET, HEAD, POST, OPTIONS"},
		{"PUT", "/api/v2/guest/secret/generate", "GET, HEAD, POST, OPTIONS"},
		{"PUT", "/api/v2/secret/key", "GET, HEAD, POST"},
		{"GET", "/api/v2/secret/key/reveal", "POST"},
		{"POST", "/api/v2/secret/key/status", "GET, HEAD"},
		{"POST", "/api/v2/receipt/key", "GET, HEAD, PATCH"},
		{"POST", "/api/v2/private/recent", "GET, HEAD, PATCH"},
		{"PUT", "/api/v2/account", "GET, HEAD"},
		{"DELETE", "/api/v2/account/", "GET, HEAD"},
		{"GET", "/api/v2/account/destroy", "POST"},
		{"GET", "/api/v2/account/apitoken/", "POST"},
		{"OPTIONS", "/api/v2/account/domains", "GET, HEAD"},
		{"PUT", "/api/v2/account/domains/add", "GET, HEAD, POST"},
		{"POST", "/api/v2/domains/a.example", "GET, HEAD"},
		{"GET", "/api/v2/domains/a.example/verify", "POST"},
		{"POST", "/api/v2/account/domains/a.example/brand", "GET, HEAD, PUT"},
		{"PUT", "/api/v2/account/domains/a.example/logo", "GET, HEAD, POST, DELETE"},
		{"PATCH", "/api/v2/domains/a.example/icon", "GET, HEAD, POST, DELETE"},
		{"OPTIONS", "/api/v2/domains/a.example/icon", "GET, HEAD, POST, DELETE"},
		{"POST", "/api/v2/altcha/challenge", "GET, HEAD"},
		{"GET", "/api/v2/altcha/verify-spam", "POST"},
		{"GET", "/api/v2/feedback", "POST"},
		{"HEAD", "/api/v2/exception", "POST"},
		{"GET", "/api/v3/guest/receipts", "POST"},
		{"POST", "/api/v3/secret/key", "GET, HEAD"},
		{"DELETE", "/api/v3/guest/secret/conceal", "GET, HEAD, POST, OPTIONS"},
		{"POST", "/api/v3/receipt/recent", "GET, HEAD, PATCH"},
		{"PUT", "/verify/key", "GET, HEAD, POST"},
		{"DELETE", "/reset/key", "GET, HEAD, POST"},
		{"OPTIONS", "/confirm/key", "GET, HEAD, POST"},
		{"POST", "/signup/key", "GET, HEAD"},
		{"POST", "/signin", "GET, HEAD"},
		{"POST", "/signin/", "GET, HEAD"},
		{"POST", "/reset", "GET, HEAD"},
		{"POST", "/imagine/a/logo.png", "GET, HEAD"},
		{"PUT", "/secret/key", "GET, HEAD, POST"},
		{"OPTIONS", "/secret/key", "GET, HEAD, POST"},
		{"DELETE", "/private/key", "GET, HEAD, POST"},
		{"PATCH", "/receipt/key", "GET, HEAD, POST"},
		{"POST", "/s", "GET, HEAD"},
		{"POST", "/e", "GET, HEAD"},
		{"POST", "/e%23x", "GET, HEAD"},
		{"POST", "/account/domains/a.example", "GET, HEAD"},
		{"POST", "/assets/x.js", "GET, HEAD"},
		{"POST", "/icon.svg", "GET, HEAD"},
		{"PUT", "/", "GET, HEAD, POST"},
	} {
		w := request(h, test.method, test.path)
		if got := w.Header().Get("Allow"); w.Code != http.StatusMethodNotAllowed || got != test.allow {
			t.Errorf("%s %s: got %d, Allow %q, want 405, %q", test.method, test.path, w.Code, got, test.allow)
		}
		if strings.HasPrefix(test.path, "/api/") && !strings.Contains(w.Body.String(), `"message":"Method Not Allowed"`) {
			t.Errorf("%s %s: got body %s", test.method, test.path, w.Body)
		}
	}
	for _, path := range []string{"/api/v1/nothing", "/api/v2/colonel", "/api/v2/colonel/"} {
		for _, method := range []string{"PROPFIND", "POST", "OPTIONS"} {
			if w := request(h, method, path); w.Code != http.StatusNotFound || w.Header().Get("Allow") != "" {
				t.Errorf("%s %s: got %d, Allow %q, want 404 and none", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}

func TestPlainPages(t *testing.T) {
	h := newTree(t)
	for path, want := range map[string]string{
		"/healthz": "ok", "/healthz/": "ok", "/readyz": "ok", "/robots.txt": "User-agent: *\nDisallow: /\n",
	} {
		if w := request(h, http.MethodGet, path); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("GET %s: got %d %q, want 200 %q", path, w.Code, w.Body, want)
		}
	}
}

// A balancer must send nothing more to a service that stops, or whose store is
// away; a supervisor must not kill it for stopping.
func TestReadyAndHealth(t *testing.T) {
	for _, c := range []struct {
		name            string
		stopping        bool
		store           error
		ready, health   int
		readyz, healthz string
	}{
		{"serving", false, nil, 200, 200, "ok", "ok"},
		{"stopping", true, nil, 503, 200, "stopping", "ok"},
		{"without its database", false, errors.New("away"), 503, 503, "the database cannot be reached", "the database cannot be reached"},
	} {
		api := newAPI(t)
		api.Ready = func() error { return c.store }
		h, err := routes.New(routes.Options{
			API: api, BaseURL: &url.URL{Scheme: "https", Host: "hush.example"}, Catalogue: catalogue(t),
			Accepting: func() bool { return !c.stopping },
		})
		if err != nil {
			t.Fatalf("New: got error %v", err)
		}
		for _, want := range []struct {
			path, text string
			status     int
		}{{"/readyz", c.readyz, c.ready}, {"/healthz", c.healthz, c.health}} {
			w := request(h, http.MethodGet, want.path)
			if w.Code != want.status || w.Body.String() != want.text || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("GET %s %s: got %d %q %v, want %d %q, not stored", want.path, c.name, w.Code, w.Body, w.Header(), want.status, want.text)
			}
		}
	}
}

func TestHead(t *testing.T) {
	server := httptest.NewServer(newTree(t))
	defer server.Close()
	for path, status := range map[string]int{
		"/healthz": 200, "/secret/a": 200, "/api/v1/nothing": 404, "/api/v1/share": 405, "/api/v1/private/a?x=%zz": 404,
	} {
		res, err := server.Client().Head(server.URL + path)
		if err != nil {
			t.Fatalf("HEAD %s: got error %v", path, err)
		}
		if err := res.Body.Close(); err != nil {
			t.Errorf("closing answer: %v", err)
		}
		if res.StatusCode != status || res.ContentLength < 1 {
			t.Errorf("HEAD %s: got %d with Content-Length %d, want %d and one", path, res.StatusCode, res.ContentLength, status)
		}
	}
}

// Refusals of bodies, in the form of each version.
func TestBodyRefusals(t *testing.T) {
	h := newTree(t)
	for _, test := range []struct {
		contentType, coding, body string
		v1, v2                    int
		honest, text              string
	}{
		{"application/json", "", `{"secret":"hunter2"`, 404, 400, "400", "the body is not valid JSON"},
		{"application/json", "", `["hunter2"]`, 404, 400, "400", "the body is not a JSON object"},
		{"application/json", "", `{"secret":{"a":"hunter2"},"secret":1}`, 404, 422, "422", "secret was given more than once"},
		{"application/json", "gzip", `hunter2`, 404, 415, "415", "a body with a Content-Encoding is not accepted"},
		{"text/json", "", `{"passphrase":"hunter2"}`, 404, 415, "415", "the Content-Type of a body must be application/x-www-form-urlencoded, multipart/form-data or application/json"},
		{"", "", "secret=hunter2%", 404, 422, "422", "secret is not properly percent-encoded"},
		{"", "", "hunter2%=a", 404, 422, "422", "a parameter is not properly percent-encoded"},
		{"", "", "secret=" + strings.Repeat("a", 4<<20), 413, 413, "413", "the body must be at most 4194304 bytes"},
	} {
		for _, path := range []string{"/api/v1/share", "/api/v2/secret/conceal"} {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(test.body))
			if test.contentType != "" {
				r.Header.Set("Content-Type", test.contentType)
			}
			if test.coding != "" {
				r.Header.Set("Content-Encoding", test.coding)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			status, honest := test.v1, test.honest
			if strings.HasPrefix(path, "/api/v2") {
				status, honest = test.v2, ""
			}
			if w.Code != status || w.Header().Get("X-OTS-Intended-Status") != honest ||
				!strings.Contains(w.Body.String(), `"message":"`+test.text+`"`) || strings.Contains(w.Body.String(), "hunter2") {
				t.Errorf("POST %s: got %d %s %s, want %d %q", path, w.Code, w.Header(), w.Body, status, test.text)
			}
		}
	}
}
