package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// unread is a body that no one may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("body: got it read, want it left alone")
	return 0, io.EOF
}

// The attack: get a secret sent in the clear by a client that follows redirects.
// Pages are redirected; what carries a text, a credential or a call is refused.
func TestPortWithoutTLS(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "hush.example.com"}
	answers := func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/.well-known/acme-challenge/token" {
			return false
		}
		_, _ = io.WriteString(w, "answer")
		return true
	}
	verified := func(_ context.Context, name string) (bool, error) {
		if name == "broken.example" {
			return false, errors.New("no store")
		}
		return name == "secrets.example.org", nil
	}
	h := plainHandler(base, answers, verified)
	for _, c := range []struct{ method, url, header, want string }{
		{"GET", "http://hush.example.com/", "", "https://hush.example.com/"},
		{"HEAD", "http://hush.example.com/s", "", "https://hush.example.com/s"},
		{"GET", "http://HUSH.example.com:80/secret/a%2Fb?x=1&y", "", "https://hush.example.com/secret/a%2Fb?x=1&y"},
		{"GET", "http://secrets.example.org/favicon.ico", "", "https://secrets.example.org/favicon.ico"},
		{"GET", "http://hush.example.com//evil.example/", "", "https://hush.example.com//evil.example/"},
		{"GET", "http://hush.example.com/.well-known/acme-challenge/token", "", "200"},
		{"GET", "http://evil.example/", "", "403"},
		{"GET", "http://broken.example/", "", "403"},
		{"GET", "http://hush.example.com/", "Authorization: Basic eDp5", "403"},
		{"GET", "http://hush.example.com/api/v1/status", "", "403"},
		{"GET", "http://hush.example.com//api//v1/share?secret=x", "", "403"},
		{"GET", "http://hush.example.com/x/../api/v1/share?secret=x", "", "403"},
		{"GET", "http://hush.example.com/hush.v1.SystemService/GetStatus", "", "403"},
		{"POST", "http://hush.example.com/", "", "403"},
		{"POST", "http://hush.example.com/api/v1/share", "", "403"},
		{"POST", "http://hush.example.com/hush.v1.SecretService/ConcealSecret", "", "403"},
		{"PUT", "http://hush.example.com/.well-known/acme-challenge/other", "", "403"},
		{"OPTIONS", "http://hush.example.com/", "", "403"},
	} {
		var body io.Reader
		if c.method == "POST" || c.method == "PUT" {
			body = unread{t}
		}
		r := httptest.NewRequest(c.method, c.url, body)
		if name, value, found := strings.Cut(c.header, ": "); found {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := w.Header().Get("Location")
		if got == "" {
			got = w.Result().Status[:3]
		}
		if got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.url, got, c.want)
		}
		if c.want == "403" && (w.Header().Get("Connection") != "close" || w.Body.String() != plainText) {
			t.Errorf("%s %s: got %v and %q, want the connection closed with a reason", c.method, c.url, w.Header(), w.Body)
		}
	}
}
