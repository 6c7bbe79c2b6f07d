// Package otstest is a test double of another product's server: Onetime Secret. It
// answers as its releases do, with their shapes, their limits and their defects, so
// that tests can show what a client makes of them. It shares no code with Hush, and
// nothing in it is how Hush behaves.
//
// It keeps everything in memory and is for tests only. Some of what it imitates is
// dangerous on purpose: it reveals on GET, returns texts in receipts, cuts long
// texts, and answers every error of v1 with 404.
package otstest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Release is a release that a Server imitates.
type Release int

// The releases, by age.
const (
	// ReleaseREF is the development of December 2024, from which the interface v2 of
	// most descriptions comes: flat requests, no key of the secret in the answer to
	// them, and numbers as texts or with fractions.
	ReleaseREF Release = iota
	// Release0205 is 0.20.5 of March 2025: wrapped requests, and another path to reveal.
	Release0205
	// Release02211 is 0.22.11 of November 2025: longer passphrases, and receipts under
	// a second name.
	Release02211
	// Release0266 is 0.26.6 of August 2026: longer keys, other words for states, other
	// errors, and routes for guests that can be switched off.
	Release0266
	// ReleaseV1Only is a server that has v1 alone. Each path of v2 is unknown to it.
	ReleaseV1Only
)

// Releases returns all releases.
func Releases() []Release {
	return []Release{ReleaseREF, Release0205, Release02211, Release0266, ReleaseV1Only}
}

// String returns the name of the release.
func (r Release) String() string {
	return [...]string{"REF", "0.20.5", "0.22.11", "0.26.6", "v1 only"}[r]
}

// HasV2 reports whether the release has v2.
func (r Release) HasV2() bool { return r != ReleaseV1Only }

// isREF reports whether the release behaves like the oldest one.
func (r Release) isREF() bool { return r == ReleaseREF || r == ReleaseV1Only }

// isNewest reports whether the release is the one with new names.
func (r Release) isNewest() bool { return r == Release0266 }

// Options are the optional settings of a Server.
type Options struct {
	// Release is what the server imitates. The zero value is ReleaseREF.
	Release Release
	// Accounts are the tokens of accounts by e-mail address, in lower case.
	Accounts map[string]string
	// Domains are the custom domains, which belong to every account.
	Domains []string
	// NoGuests switches off the routes of v2 for callers without an account.
	// Release0266 only.
	NoGuests bool
	// TextMax is how many characters the server keeps of a text: 0 means 100,000
	// without an account and 1,000,000 with one.
	TextMax int
	// DropPassphrase makes the server ignore passphrases of new secrets, as a release
	// did by mistake.
	DropPassphrase bool
	// Now is the server's clock; nil for that of the machine.
	Now func() time.Time
	// Intercept, unless nil, gets each request first and reports whether it answered
	// it: as a gateway, a limit, or a cut connection. It may call Server.Serve.
	Intercept Intercept
}

// Call is a request that a Server got.
type Call struct {
	Method, Path, Query, ContentType string
	// User is the user name of Basic authentication; empty for none.
	User string
}

// Server is the double. It is safe for concurrent use.
type Server struct {
	// URL is the base URL of a server that Start started.
	URL string

	store  *store
	v1, v2 *http.ServeMux

	mu    sync.Mutex
	calls []Call
}

// New returns a server as handler, whose links have the host of the request.
func New(options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	held := &store{options: options, secrets: map[string]*secret{}, receipts: map[string]*secret{}, guesses: map[string]int{}}
	return &Server{store: held, v1: version1{held}.routes(), v2: version2{shapes{held}}.routes()}
}

// Start starts a server on a loopback port, until the end of the test.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	s := New(options)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, _, _ := r.BasicAuth()
	s.mu.Lock()
	s.calls = append(s.calls, Call{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, ContentType: r.Header.Get("Content-Type"), User: user,
	})
	s.mu.Unlock()
	if intercept := s.store.options.Intercept; intercept == nil || !intercept(s, w, r) {
		s.Serve(w, r)
	}
}

// Release returns what the server imitates.
func (s *Server) Release() Release { return s.store.options.Release }

// Calls returns the requests so far, those that Intercept answered included.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Waiting returns how many secrets wait.
func (s *Server) Waiting() int {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	waiting := 0
	for _, held := range s.store.secrets {
		if s.store.exists(held) {
			waiting++
		}
	}
	return waiting
}

// Held returns a text and a passphrase as the server keeps them. It reports whether
// the secret waits.
func (s *Server) Held(key string) (text, passphrase string, waits bool) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	held := s.store.secrets[key]
	if held == nil || !s.store.exists(held) {
		return "", "", false
	}
	return held.text, held.passphrase, true
}
