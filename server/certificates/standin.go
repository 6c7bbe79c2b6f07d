package certificates

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"
)

// standInLife is the lifetime of a certificate that stands in.
const standInLife = 365 * 24 * time.Hour

// newStandIn returns a function that makes a certificate of no authority. It
// stands in for the host's while there is none, for connections from this machine
// only: a health check must not call a service dead that waits for its ACME
// server. Others get an error of TLS, which no one can click away.
func newStandIn(opts ACMEOptions) func() (*tls.Certificate, error) {
	return func() (*tls.Certificate, error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		now := opts.Now()
		template := &x509.Certificate{
			SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "no certificate yet"},
			DNSNames: []string{opts.Host}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(standInLife),
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			return nil, err
		}
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
	}
}

// isLocal reports whether a connection comes from this machine.
func isLocal(conn net.Conn) bool {
	if conn == nil {
		return false
	}
	addr, ok := conn.RemoteAddr().(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}
