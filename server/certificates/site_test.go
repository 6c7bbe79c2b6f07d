package certificates_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/server/certificates"
	"hush/server/certificates/acmetest"
)

// testWait bounds every wait for something that happens soon or never.
const testWait = time.Minute

// site is a service with certificates of an ACME server.
type site struct {
	*certificates.ACME

	opts    certificates.ACMEOptions
	host    string
	acme    *acmetest.Server
	log     *testLog
	tlsPort string

	end func() // ends the service

	mu    sync.Mutex
	now   time.Duration // how far its clock is ahead
	names []string      // that are admitted
	once  string        // that is admitted once more
	asked []string
}

// sealing is a seal that shows where the text went.
func sealing(opts *certificates.ACMEOptions) {
	flip := func(b []byte) []byte {
		b = bytes.Clone(b)
		for i := range b {
			b[i] ^= 0x55
		}
		return b
	}
	opts.Seal = func(name string, content []byte) []byte { return flip(append([]byte(name+"\n"), content...)) }
	opts.Open = func(name string, sealed []byte) ([]byte, error) {
		content, ok := bytes.CutPrefix(flip(sealed), []byte(name+"\n"))
		if !ok {
			return nil, errors.New("sealed for another file")
		}
		return content, nil
	}
}

// life is how long the ACME server's certificates live, in seconds.
const life = 3600 * 24 * 90

// newSite starts a service on two ports, which the ACME server checks.
func newSite(t *testing.T, change ...func(*certificates.ACMEOptions)) *site {
	t.Helper()
	plain, plainPort := listenLocal(t)
	secure, securePort := listenLocal(t)
	// CertMagic remembers the names that it renews for the whole process.
	host := fmt.Sprintf("%s-%d.example.com", strings.ToLower(t.Name()), plainPort)
	s := &site{host: host, acme: acmetest.New(t, plainPort, securePort, life), log: &testLog{}, tlsPort: secure.Addr().String()}
	s.opts = certificates.ACMEOptions{
		Directory: s.acme.URL, Email: "ops@example.com", Host: s.host, Admits: s.admits,
		Folder: filepath.Join(t.TempDir(), "data", "certificates"), Log: s.log.logger(), Now: s.clock, Roots: s.acme.TLS,
		RenewInterval: 100 * time.Millisecond, Wait: func(int, bool) time.Duration { return 50 * time.Millisecond },
	}
	sealing(&s.opts)
	for _, change := range change {
		change(&s.opts)
	}
	s.acme.DNS.SetA(s.host, "127.0.0.1")
	s.open(t)
	go func() {
		_ = http.Serve(plain, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !s.current().AnswerChallenge(w, r) {
				http.Error(w, "no challenge", http.StatusForbidden)
			}
		}))
	}()
	go s.serveTLS(secure)
	return s
}

func (s *site) serveTLS(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			_ = tls.Server(conn, s.current().TLSConfig()).HandshakeContext(context.Background())
			conn.Close()
		}()
	}
}

func (s *site) current() *certificates.ACME {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ACME
}

// open starts the service, again if it runs.
func (s *site) open(t *testing.T) {
	t.Helper()
	s.shut()
	made, err := certificates.OpenACME(s.opts)
	if err != nil {
		t.Fatalf("OpenACME(): got %v, want no error", err)
	}
	s.mu.Lock()
	s.ACME = made
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); made.Run(ctx) }()
	s.end = sync.OnceFunc(func() {
		cancel()
		<-ended
		if err := made.Close(); err != nil {
			t.Errorf("Close(): got %v, want no error", err)
		}
	})
	t.Cleanup(s.end)
}

// shut ends the service. Its folder rests then.
func (s *site) shut() {
	if s.end != nil {
		s.end()
	}
}

// plant gives the service a certificate until a time in place of the one that it has of
// a name, as if it had got it 90 days before.
func (s *site) plant(t *testing.T, name string, ends time.Time) *x509.Certificate {
	t.Helper()
	s.shut()
	cert, key := makePair(t, name, ends)
	for suffix, content := range map[string][]byte{".crt": cert, ".key": key} {
		s.write(t, name, suffix, content)
	}
	block, _ := pem.Decode(cert)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

// write replaces a file of a certificate of a name.
func (s *site) write(t *testing.T, name, suffix string, content []byte) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.opts.Folder, "certificates", "*", name, name+suffix))
	if err != nil || len(found) != 1 {
		t.Fatalf("files of %s: got %v and %v, want one", name, found, err)
	}
	file, err := filepath.Rel(s.opts.Folder, found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], append([]byte{1}, s.opts.Seal(file, content)...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// clock is the service's clock.
func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.now)
}

// pass puts the service's clock forward.
func (s *site) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += d
}

func (s *site) admits(_ context.Context, name string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, name)
	if s.once == name && name != "" {
		s.once = ""
		return true, nil
	}
	return slices.Contains(s.names, name), nil
}

// askedFor reports whether a name was looked up.
func (s *site) askedFor(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.asked, name)
}

func (s *site) admit(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = names
}

// admitOnce admits a name one time, and nothing else.
func (s *site) admitOnce(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.once, s.names = name, nil
}

// get returns the certificate of a handshake over TCP.
func (s *site) get(name string) (*x509.Certificate, error) {
	dialer := net.Dialer{Timeout: testWait}
	conn, err := tls.DialWithDialer(&dialer, "tcp", s.tlsPort, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0], nil
}

// await returns the certificate of a name once check accepts it.
func (s *site) await(t *testing.T, name string, check func(*x509.Certificate) bool) *x509.Certificate {
	t.Helper()
	leaf, err := s.wait(name, check)
	if err != nil {
		t.Fatalf("certificate of %s: got %v, want one; the log:\n%s", name, err, s.log)
	}
	return leaf
}

// wait is await for any goroutine. A handshake waits for some seconds by itself.
func (s *site) wait(name string, check func(*x509.Certificate) bool) (leaf *x509.Certificate, err error) {
	for until := time.Now().Add(testWait); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if leaf, err = s.get(name); err == nil && check(leaf) {
			return leaf, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("that of %v until %s, not another", leaf.DNSNames, leaf.NotAfter)
	}
	return nil, err
}

// awaitLog returns once the log has a text.
func (s *site) awaitLog(t *testing.T, text string) {
	t.Helper()
	for until := time.Now().Add(testWait); s.log.count(text) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("log: got no %q; it has:\n%s", text, s.log)
		}
	}
}

// awaitStatus returns once the host's certificate ends at a time, and a number of
// names fail.
func (s *site) awaitStatus(t *testing.T, ends time.Time, failing int) {
	t.Helper()
	var got certificates.Status
	for until := time.Now().Add(testWait); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		got = s.current().Status()
		if got.Ends.Equal(ends) && got.Begins.IsZero() == ends.IsZero() && got.Failing == failing {
			return
		}
	}
	t.Errorf("Status(): got %+v, want the end %s and %d failing", got, ends, failing)
}

// refused fails the test if a name has a certificate.
func (s *site) refused(t *testing.T, name string) {
	t.Helper()
	if leaf, err := s.get(name); err == nil {
		t.Errorf("certificate of %s: got that of %v, want none", name, leaf.DNSNames)
	}
}

// verify fails the test unless a client that trusts the ACME server is served.
func (s *site) verify(t *testing.T, name string) {
	t.Helper()
	conn, err := tls.Dial("tcp", s.tlsPort, &tls.Config{ServerName: name, RootCAs: s.acme.Issued})
	if err != nil {
		t.Errorf("handshake with %s: got %v, want a certificate that is issued", name, err)
		return
	}
	conn.Close()
}

// listenLocal listens on a port of its own.
func listenLocal(t *testing.T) (net.Listener, int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener, listener.Addr().(*net.TCPAddr).Port
}

// issued reports whether a certificate comes from the ACME server.
func issued(leaf *x509.Certificate) bool { return strings.HasPrefix(leaf.Issuer.CommonName, "Pebble") }

// wantNoAddress fails the test if a log has the address of a client.
func wantNoAddress(t *testing.T, log *testLog) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		for _, word := range []string{"remote", "user_agent"} {
			if strings.Contains(line, word) {
				t.Errorf("log: got %q in %s, want no address", word, line)
			}
		}
	}
}
