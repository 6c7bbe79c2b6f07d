package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"hush/server/servertest"
)

// browserElsewhere are two origins with a page that calls the service. The service
// names one of them.
type browserElsewhere struct {
	Named string `json:"named"`
	Other string `json:"other"`
	Token string `json:"token"`
}

// startElsewhere starts the servers of both origins. web/e2e/elsewhere.spec.ts builds
// their script.
func startElsewhere(t *testing.T) *browserElsewhere {
	t.Helper()
	pages := http.NewServeMux()
	pages.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<!doctype html><title>A team's page</title><link rel="icon" href="data:,"><script type="module" src="/elsewhere.js"></script>`)
	})
	pages.Handle("GET /", http.FileServer(http.Dir(filepath.Join(webFolder, ".tmp", "elsewhere"))))
	named, other := httptest.NewServer(pages), httptest.NewServer(pages)
	t.Cleanup(named.Close)
	t.Cleanup(other.Close)
	return &browserElsewhere{Named: named.URL, Other: other.URL}
}

// wantAsked checks that the browser itself asked the service what the pages may do:
// what intercepts requests would answer in its place.
func (*browserElsewhere) wantAsked(t *testing.T, s *servertest.Server) {
	t.Helper()
	if !strings.Contains(s.Log.String(), "route=preflight") {
		t.Error("log: got no preflight of a page on another origin, want some")
	}
}
