// Package acmetest runs a real ACME server, Pebble, in the process of a test.
package acmetest

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"hush/resolver/resolvertest"
)

// orderPath is where Pebble takes orders.
const orderPath = "/order-plz"

// settings are what Pebble reads in its environment. It would take up to 15 seconds for
// a check, and refuse good requests and skip checks at random.
func settings() map[string]string {
	return map[string]string{"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0", "PEBBLE_AUTHZREUSE": "0"}
}

// Server is an ACME server.
type Server struct {
	// DNS has the names that the server looks up to check them.
	DNS *resolvertest.Server
	// URL is that of the directory.
	URL string
	// TLS are the authorities of the server's own certificate, which TLSPEM has in
	// PEM format; SSL_CERT_FILE can name a file with it. Issued and IssuedPEM have
	// those of the certificates that it issues.
	TLS, Issued       *x509.CertPool
	TLSPEM, IssuedPEM []byte

	away   atomic.Bool
	orders atomic.Int64
}

// New starts a server that checks names on two ports, issues certificates for some
// seconds, and ends with the test.
func New(t testing.TB, httpPort, tlsPort int, seconds uint64) *Server {
	t.Helper()
	for name, value := range settings() {
		if err := os.Setenv(name, value); err != nil { //nolint:usetesting // tests run side by side
			t.Fatal(err)
		}
	}
	quiet := log.New(io.Discard, "", 0) //nolint:forbidigo // Pebble takes no other
	store := db.NewMemoryStore()
	s := &Server{DNS: resolvertest.New(t)}
	authority := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: seconds}})
	checks := va.New(quiet, httpPort, tlsPort, false, s.DNS.Addr, store)
	front := wfe.New(quiet, store, checks, authority, []string{"pebble.example"}, false, false, 0, 0)
	inner := front.Handler()
	outer := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.away.Load() {
			panic(http.ErrAbortHandler) //nolint:forbidigo // the way of net/http to break off
		}
		seen := &statusWriter{ResponseWriter: w}
		inner.ServeHTTP(seen, r)
		if r.URL.Path == orderPath && seen.status == http.StatusCreated {
			s.orders.Add(1)
		}
	}))
	outer.Config.ErrorLog = quiet
	outer.StartTLS()
	t.Cleanup(outer.Close)
	s.URL = outer.URL + wfe.DirectoryPath
	s.TLS, s.Issued = x509.NewCertPool(), x509.NewCertPool()
	s.TLS.AddCert(outer.Certificate())
	s.TLSPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: outer.Certificate().Raw})
	root := authority.GetRootCert(0).Cert
	s.Issued.AddCert(root)
	s.IssuedPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw})
	return s
}

// SetAway makes the server break off every request, or serve again.
func (s *Server) SetAway(away bool) { s.away.Store(away) }

// Orders returns how many orders the server has accepted.
func (s *Server) Orders() int { return int(s.orders.Load()) }

// statusWriter notes the status of a response.
type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
