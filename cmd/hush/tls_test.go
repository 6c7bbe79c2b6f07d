package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"testing"
)

// A tool renews the certificate by putting new files in the place of the old
// ones. The service serves it without a restart, in its sandbox too.
func TestReplacedCertificateIsServed(t *testing.T) {
	runOnce(t, "about certificates")
	t.Parallel()
	cert, key, _ := selfSigned(t)
	p := startProcess(t, realHush(t), t.TempDir()+"/data", "--tls-cert", cert, "--tls-key", key, "--admin-listen=127.0.0.1:0", "--log-level=info")
	p.awaitCertificate(t, leafOf(t, cert, key), 0)
	newCert, newKey, pool := selfSigned(t)
	if _, err := tls.Dial("tcp", p.addr, &tls.Config{RootCAs: pool}); err == nil {
		t.Fatal("the certificate before: got the new one, want the old one")
	}
	for from, to := range map[string]string{newCert: cert, newKey: key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if !happens(func() bool {
		var conn *tls.Conn
		if conn, err = tls.Dial("tcp", p.addr, &tls.Config{RootCAs: pool}); err == nil {
			_ = conn.Close()
		}
		return err == nil
	}) {
		t.Fatalf("the replaced certificate: got %v, want it served; the log:\n%s", err, p.log)
	}
	p.awaitCertificate(t, leafOf(t, cert, key), 0)
}

func leafOf(t *testing.T, cert, key string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

// awaitCertificate returns once metrics tell of a certificate for the service's own
// host, or that it has none, and how many hosts fail.
func (s *testServer) awaitCertificate(t *testing.T, leaf *x509.Certificate, failing int) {
	t.Helper()
	want := [3]float64{0, 0, float64(failing)}
	if leaf != nil {
		want[0], want[1] = float64(leaf.NotAfter.Unix()), leaf.NotAfter.Sub(leaf.NotBefore).Seconds()
	}
	client := newHTTPClient(t, false, nil)
	waitUntil(t, fmt.Sprintf("metrics to have %v", want), func() bool {
		families, _ := scrape(t, client, s.metricsURL(t))
		return want == [3]float64{
			value(t, families, "hush_certificate_expiry_timestamp_seconds"),
			value(t, families, "hush_certificate_lifetime_seconds"), value(t, families, "hush_certificates_failing"),
		}
	})
}
