package certificates

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"
)

// ChallengePath is the folder of the paths with which an ACME server checks names
// over HTTP.
const ChallengePath = "/.well-known/acme-challenge/"

// challenges are those that this process waits for: one of a name at a time. It
// is acmez's solver.
type challenges struct {
	mu      sync.Mutex
	pending map[string]acme.Challenge // by the name
}

// Present implements acmez.Solver.
func (c *challenges) Present(_ context.Context, given acme.Challenge) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[strings.ToLower(given.Identifier.Value)] = given
	return nil
}

// CleanUp implements acmez.Solver.
func (c *challenges) CleanUp(_ context.Context, given acme.Challenge) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, strings.ToLower(given.Identifier.Value))
	return nil
}

// of returns the challenge of a kind that a name waits for.
func (c *challenges) of(name, kind string) (given acme.Challenge, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	given, ok = c.pending[strings.ToLower(name)]
	return given, ok && given.Type == kind
}

// answer answers the request of a challenge, and reports whether it was one.
func (c *challenges) answer(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, ChallengePath) {
		return false
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	given, ok := c.of(name, acme.ChallengeTypeHTTP01)
	if !ok || r.URL.Path != given.HTTP01ResourcePath() {
		http.NotFound(w, r)
		return true
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, given.KeyAuthorization)
	return true
}

// certificate returns the certificate that answers a challenge over TLS.
func (c *challenges) certificate(name string) (*tls.Certificate, error) {
	given, ok := c.of(name, acme.ChallengeTypeTLSALPN01)
	if !ok {
		return nil, errors.New("certificates: no challenge for the name")
	}
	return acmez.TLSALPN01ChallengeCert(given)
}
