package postgres_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
)

// authority signs certificates in a test.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.key, a.cert = a.issue("authority", nil, nil)
	return a
}

// issue makes a certificate for a server, or that of the authority itself.
func (a *authority) issue(name string, parent *x509.Certificate, by *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: parent == nil, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if parent == nil {
		parent, by = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return key, cert
}

// file writes the authority's certificate.
func (a *authority) file() string {
	a.t.Helper()
	name := filepath.Join(a.t.TempDir(), "ca.pem")
	writePEM(a.t, name, "CERTIFICATE", a.cert.Raw)
	return name
}

func writePEM(t *testing.T, name, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// secured starts a server on the loopback with a certificate for name, and
// returns its port.
func secured(t *testing.T, a *authority, name string) (*postgrestest.Server, int) {
	t.Helper()
	key, cert := a.issue(name, a.cert, a.key)
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	server := own(t)
	keyName, certName := filepath.Join(server.Folder(), "key.pem"), filepath.Join(server.Folder(), "cert.pem")
	writePEM(t, keyName, "EC PRIVATE KEY", raw)
	writePEM(t, certName, "CERTIFICATE", cert.Raw)
	for _, name := range []string{keyName, certName} {
		if err := server.GiveFile(name); err != nil {
			t.Fatal(err)
		}
	}
	err = server.Halt()
	if err == nil {
		err = server.Configure("listen_addresses='127.0.0.1'", fmt.Sprintf("port=%d", port),
			"ssl=on", "ssl_cert_file='"+certName+"'", "ssl_key_file='"+keyName+"'")
	}
	_ = free.Close()
	if err == nil {
		err = server.Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	return server, port
}

// TestVerifyFull: a server has to have a certificate for the name by which it is
// called, from an authority that is known.
func TestVerifyFull(t *testing.T) {
	ours, other := newAuthority(t), newAuthority(t)
	_, port := secured(t, ours, "localhost")
	target := func(host string, authority *authority) string {
		at := net.JoinHostPort(host, strconv.Itoa(port))
		return "postgres://hush@" + at + "/postgres?sslmode=verify-full&sslrootcert=" + authority.file()
	}
	opts := postgres.Options{Patience: 100 * time.Millisecond}
	store, _, err := postgres.Open(t.Context(), target("localhost", ours), opts)
	if err != nil {
		t.Fatalf("Open(right name and authority): got %v, want nil", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	secure := "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'hush'"
	if got := queryText(t, target("localhost", ours), secure); got != "t" {
		t.Errorf("connections with TLS: got %s, want all", got)
	}
	_, _, err = postgres.Open(t.Context(), target("127.0.0.1", ours), opts)
	if _, wrong := errors.AsType[x509.HostnameError](err); !wrong || !errors.Is(err, postgres.ErrRefused) {
		t.Errorf("Open(another name): got %v, want %v for its name", err, postgres.ErrRefused)
	}
	_, _, err = postgres.Open(t.Context(), target("localhost", other), opts)
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); !unknown || !errors.Is(err, postgres.ErrRefused) {
		t.Errorf("Open(another authority): got %v, want %v for its authority", err, postgres.ErrRefused)
	}
}
