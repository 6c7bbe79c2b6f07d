package booted_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"

	"hush/server/servertest"
)

// A tool renews the certificate by putting new files in the place of the old
// ones. The service serves it without a restart, in its sandbox too.
func TestReplacedCertificateIsServed(t *testing.T) {
	servertest.RunOnce(t, "about certificates")
	t.Parallel()
	cert, key, _ := servertest.SelfSigned(t)
	p := servertest.StartProcess(t, servertest.Build(t), t.TempDir()+"/data", "--tls-cert", cert, "--tls-key", key, "--admin-listen=127.0.0.1:0", "--log-level=info")
	p.AwaitCertificate(t, leafOf(t, cert, key), 0)
	newCert, newKey, pool := servertest.SelfSigned(t)
	if _, err := tls.Dial("tcp", p.Addr, &tls.Config{RootCAs: pool}); err == nil {
		t.Fatal("the certificate before: got the new one, want the old one")
	}
	for from, to := range map[string]string{newCert: cert, newKey: key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if !servertest.Happens(func() bool {
		var conn *tls.Conn
		if conn, err = tls.Dial("tcp", p.Addr, &tls.Config{RootCAs: pool}); err == nil {
			_ = conn.Close()
		}
		return err == nil
	}) {
		t.Fatalf("the replaced certificate: got %v, want it served; the log:\n%s", err, p.Log)
	}
	p.AwaitCertificate(t, leafOf(t, cert, key), 0)
}

func leafOf(t *testing.T, cert, key string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}
