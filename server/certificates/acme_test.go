package certificates_test

import (
	"bytes"
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/server/certificates"
)

// The host gets a certificate at the start, which the next start finds.
func TestHostGetsCertificate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	leaf := s.await(t, s.host, issued)
	s.verify(t, s.host)
	s.acme.SetAway(true)
	s.open(t)
	again := s.await(t, s.host, issued)
	if !again.Equal(leaf) || s.acme.Orders() != 1 {
		t.Errorf("after a restart: got another certificate and %d orders, want the one of the folder", s.acme.Orders())
	}
	wantNoAddress(t, s.log)
}

// The files: only their owner may read them, and their content is sealed.
func TestFilesOfACME(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.await(t, s.host, issued)
	s.shut()
	keys := 0
	err := filepath.WalkDir(s.opts.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if info.Mode().Perm() != 0o700 {
				t.Errorf("%s: got mode %s, want 0700", path, info.Mode())
			}
			return nil
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got mode %s, want 0600", path, info.Mode())
		}
		if strings.HasSuffix(path, ".key") {
			keys++
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("PRIVATE KEY")) || bytes.Contains(content, []byte("CERTIFICATE")) {
			t.Errorf("%s: got it in the clear, want it sealed", path)
		}
		return err
	})
	if err != nil || keys != 1 {
		t.Errorf("folder: got %d keys and %v, want the host's", keys, err)
	}
}

// A file that cannot be opened is replaced, not an end of the service.
func TestDamagedFilesAreReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.await(t, s.host, issued)
	s.shut()
	err := filepath.WalkDir(s.opts.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.WriteFile(path, []byte("no file of ours"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.open(t)
	s.await(t, s.host, func(leaf *x509.Certificate) bool { return issued(leaf) && !leaf.Equal(first) })
	if s.log.count("cannot be opened with the root key") == 0 {
		t.Errorf("log: got %s, want a word of the files", s.log)
	}
}

// A certificate is renewed before it expires.
func TestRenewal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.await(t, s.host, issued)
	first := s.plant(t, s.host, time.Now().Add(time.Hour))
	s.open(t)
	second := s.await(t, s.host, func(leaf *x509.Certificate) bool { return !leaf.Equal(first) })
	s.verify(t, s.host)
	if !second.NotAfter.After(first.NotAfter) {
		t.Errorf("renewed: got the end %s, want it after %s", second.NotAfter, first.NotAfter)
	}
	s.awaitLog(t, "renewal=true") // it has written its files
	wantNoAddress(t, s.log)
}

// While a certificate cannot be renewed it is served.
func TestRenewalWithoutTheACMEServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.await(t, s.host, issued)
	first := s.plant(t, s.host, time.Now().Add(time.Hour))
	s.acme.SetAway(true)
	s.open(t)
	s.awaitLog(t, "cannot be renewed")
	if leaf, err := s.get(s.host); err != nil || !leaf.Equal(first) {
		t.Errorf("while the ACME server is away: got %v and %v, want the certificate before", leaf, err)
	}
	wantNoAddress(t, s.log)
}

// The ACME server is away at the start: the service has no certificate, except
// for its own health check, and gets one as soon as the server is back.
func TestACMEServerAwayAtTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.shut()
	s.acme.SetAway(true)
	s.opts.Folder = filepath.Join(t.TempDir(), "other")
	s.open(t)
	s.await(t, s.host, func(leaf *x509.Certificate) bool { return leaf.Subject.CommonName == "no certificate yet" })
	if leaf, err := served(t, s.current().TLSConfig(), s.host); err == nil {
		t.Errorf("handshake from elsewhere: got %v, want an error", leaf.Subject)
	}
	if s.log.count("no certificate yet: HTTPS to this name does not work") == 0 {
		t.Errorf("log: got %s, want a word of the failure", s.log)
	}
	s.awaitStatus(t, time.Time{}, 1)
	s.acme.SetAway(false)
	leaf := s.await(t, s.host, issued)
	s.verify(t, s.host)
	s.awaitStatus(t, leaf.NotAfter, 0)
}

// The attack: have the service order certificates for names of one's choice. Only
// a verified domain gets one; the ACME server hears of no other.
func TestOnDemand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.await(t, s.host, issued)
	s.acme.DNS.SetA("secrets.example.org", "127.0.0.1")
	for _, name := range []string{"secrets.example.org", "*.example.org", "hush", "localhost", "x.hush.example.com", "a..b", "-.example.org"} {
		if leaf, err := s.get(name); err == nil {
			t.Errorf("certificate of %s: got that of %v, want none", name, leaf.DNSNames)
		} else if !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("handshake for %s: got %v, want the alert for an unknown name", name, err)
		}
	}
	if got := s.acme.Orders(); got != 1 {
		t.Errorf("orders: got %d, want only the host's", got)
	}
	s.admit("secrets.example.org", "s\u00adecrets.example.org", "\uff53ecrets.example.org")
	s.pass(time.Minute) // the refusal does not count for long
	for _, name := range []string{"s\u00adecrets.example.org", "\uff53ecrets.example.org", "secrets_.example.org", strings.Repeat("a.", 20_000) + "com"} {
		if leaf, err := s.get(name); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("handshake for %.30q: got %v and %v, want the alert for an unknown name", name, leaf, err)
		}
		if s.askedFor(name) {
			t.Errorf("handshake for %.30q: got it looked up, want it refused by its form", name)
		}
	}
	s.await(t, "secrets.example.org", issued)
	s.verify(t, "secrets.example.org")
	s.await(t, "Secrets.Example.org", issued)
	if got := s.acme.Orders(); got != 2 {
		t.Errorf("orders: got %d, want one for the domain; the log:\n%s", got, s.log)
	}
	wantNoAddress(t, s.log)
}

// A domain that stopped being verified is not renewed.
func TestLapsedDomainIsNotRenewed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	name := "lapsed." + s.host
	s.acme.DNS.SetA(name, "127.0.0.1")
	s.admit(name)
	s.await(t, s.host, issued)
	s.await(t, name, issued)
	last := s.plant(t, name, time.Now().Add(time.Hour))
	orders := s.acme.Orders()
	s.admitOnce(name) // for the handshake, and not for its renewal
	s.open(t)
	if leaf, err := s.get(name); err != nil || !leaf.Equal(last) {
		t.Errorf("verified domain: got %v and %v, want its certificate", leaf, err)
	}
	s.awaitLog(t, "the domain is no longer verified")
	s.pass(time.Minute) // the answer to the handshake does not count for long
	if leaf, err := s.get(name); err == nil {
		t.Errorf("lapsed domain: got a certificate until %s, want none", leaf.NotAfter)
	}
	if got := s.acme.Orders(); got != orders {
		t.Errorf("lapsed domain: got %d orders, want none", got-orders)
	}
}

// Handshakes that wait for one certificate cause one order. A domain that does
// not lead here causes no more than its waits allow.
func TestOrdersAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(opts *certificates.ACMEOptions) {
		opts.Wait = func(int, bool) time.Duration { return time.Hour }
	})
	host := s.await(t, s.host, issued)
	s.acme.DNS.SetA("one.example.org", "127.0.0.1")
	s.acme.DNS.SetA("astray.example.org", "127.0.0.2")
	s.admit("one.example.org", "astray.example.org")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.wait("one.example.org", issued); err != nil {
				t.Errorf("one of many handshakes: got %v, want the certificate", err)
			}
		})
	}
	all.Wait()
	if got := s.acme.Orders(); got != 2 {
		t.Errorf("orders: got %d, want one for all handshakes", got)
	}
	s.refused(t, "astray.example.org")
	s.awaitLog(t, `no certificate yet: HTTPS to this name does not work" name=astray.example.org`)
	s.awaitStatus(t, host.NotAfter, 1)
	orders := s.acme.Orders()
	if orders == 2 {
		t.Error("orders: got none for a verified domain, want one")
	}
	for range 20 {
		s.refused(t, "astray.example.org")
	}
	if got := s.acme.Orders(); got != orders {
		t.Errorf("orders of a domain that is astray: got %d more within its wait, want none", got-orders)
	}
	wantNoAddress(t, s.log)
}

// The service was down while its certificate expired, and the ACME server is away
// at the next start. What has expired is served until there is a new one.
func TestExpiredCertificateAtTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(opts *certificates.ACMEOptions) { opts.RenewInterval = time.Hour })
	s.await(t, s.host, issued)
	first := s.plant(t, s.host, time.Now().Add(-time.Hour))
	s.acme.SetAway(true)
	s.open(t)
	s.awaitLog(t, "no certificate yet")
	if leaf, err := s.get(s.host); err != nil || !leaf.Equal(first) {
		t.Errorf("while the ACME server is away: got %v and %v, want the certificate that has expired", leaf, err)
	}
	s.awaitStatus(t, first.NotAfter, 1)
	s.acme.SetAway(false)
	s.await(t, s.host, func(leaf *x509.Certificate) bool { return issued(leaf) && !leaf.Equal(first) })
}

// A crash while a renewed certificate was written left it with the key of the one
// before.
func TestTornFilesAreReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.await(t, s.host, issued)
	_, other := makePair(t, s.host, time.Now().Add(time.Hour))
	s.shut()
	s.write(t, s.host, ".key", other)
	s.open(t)
	s.await(t, s.host, func(leaf *x509.Certificate) bool { return issued(leaf) && !leaf.Equal(first) })
	s.verify(t, s.host)
}
