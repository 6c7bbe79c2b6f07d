package booted_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/certificates/acmetest"
	"hush/server/process"
	"hush/server/servertest"
)

// acmeHost is the public name of a service under test.
const acmeHost = "hush.example.com"

// acmeService is a service in a process of its own, with a real ACME server.
type acmeService struct {
	acme          *acmetest.Server
	data          string
	plain, secure string // host:port
	roots         string // the file with the ACME server's own certificate
}

func newACMEService(t *testing.T) *acmeService {
	t.Helper()
	plain, secure := servertest.FreeAddress(t), servertest.FreeAddress(t)
	s := &acmeService{
		acme: acmetest.New(t, portOf(t, plain), portOf(t, secure), 3600*24*90), data: filepath.Join(t.TempDir(), "data"), roots: filepath.Join(t.TempDir(), "roots.pem"),
		plain: plain, secure: secure,
	}
	s.acme.DNS.SetA(acmeHost, "127.0.0.1")
	if err := os.WriteFile(s.roots, s.acme.TLSPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// start starts the program with the ACME server's certificate trusted, as an
// operator does with a private one.
func (s *acmeService) start(t *testing.T, more ...string) *servertest.Process {
	t.Helper()
	return servertest.StartProcessIn(t, []string{"SSL_CERT_FILE=" + s.roots}, servertest.Build(t), s.data, append([]string{servertest.InFolder,
		"--acme", "--acme-directory", s.acme.URL, "--acme-email=ops@example.com", "--base-url=https://" + acmeHost,
		"--listen", s.secure, "--acme-http-listen", s.plain, "--resolver", s.acme.DNS.Addr, "--log-level=debug"}, more...)...)
}

// client returns a client that trusts the ACME server and finds the service by
// any name.
func (s *acmeService) client(t *testing.T, http2 bool) *http.Client {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{
		Protocols: &protocols, TLSClientConfig: &tls.Config{RootCAs: s.acme.Issued},
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			to := s.secure
			if strings.HasSuffix(address, ":80") {
				to = s.plain
			}
			return new(net.Dialer).DialContext(ctx, "tcp", to)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// await returns once a page is served over TLS.
func (s *acmeService) await(t *testing.T, p *servertest.Process, host string) {
	t.Helper()
	client := s.client(t, false)
	var err error
	if !servertest.Happens(func() bool {
		var res *http.Response
		if res, err = client.Get("https://" + host + "/healthz"); err == nil {
			res.Body.Close()
		}
		return err == nil
	}) {
		t.Fatalf("https://%s: got %v, want it served; the log:\n%s", host, err, p.Log)
	}
}

// The service obtains a certificate from a real ACME server in its sandbox,
// serves everything over it, and keeps it for the next start, when the ACME
// server may be away. A verified domain gets one too, another name none.
func TestACME(t *testing.T) {
	servertest.RunOnce(t, "about certificates")
	t.Parallel()
	s := newACMEService(t)
	p := s.start(t)
	s.await(t, p, acmeHost)
	for _, http2 := range []bool{false, true} {
		for _, d := range driversOn(s.client(t, http2), p.Server, http2) {
			kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "x"})
			d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, d.Name()+" reveal with --acme", "x")
		}
	}
	for _, c := range []struct {
		method, path string
		want         int
	}{{"GET", "/", 301}, {"HEAD", "/s", 301}, {"POST", "/api/v1/share", 403}, {"GET", "/.well-known/acme-challenge/x", 404}} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+acmeHost+c.path, strings.NewReader(map[bool]string{true: "secret=x"}[c.method == "POST"]))
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.client(t, false).Do(req)
		if err != nil {
			t.Fatalf("%s http://%s%s: got %v, want a response", c.method, acmeHost, c.path, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s http://%s%s: got %s, want %d", c.method, acmeHost, c.path, res.Status, c.want)
		}
	}
	servertest.Call(t, nil, "", "healthcheck", "--listen", s.secure, "--acme", "--base-url=https://"+acmeHost).Want(t, "healthcheck", command.ExitOK)
	s.wantBodyUnread(t)
	s.wantDomain(t, p)
	log := p.Log.String()
	for _, word := range []string{"remote", "user_agent", "PRIVATE KEY"} {
		if strings.Contains(log, word) {
			t.Errorf("log: got %q in it, want none:\n%s", word, log)
		}
	}
	if process.CheckSandbox(process.SandboxVersion()) == nil && !strings.Contains(log, "sandbox on") {
		t.Errorf("log: got no sandbox in it, want one:\n%s", log)
	}
	if !strings.Contains(log, "tls=acme") {
		t.Errorf("log: got no tls=acme in it, want it in the summary:\n%s", log)
	}
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
	s.acme.SetAway(true)
	s.await(t, s.start(t), acmeHost)
}

// wantBodyUnread fails the test unless a secret that is sent without TLS is
// refused before its text has arrived, and the connection is closed.
func (s *acmeService) wantBodyUnread(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", s.plain)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	head := "POST /api/v1/share HTTP/1.1\r\nHost: " + acmeHost + "\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 403 ") || !strings.Contains(string(got), "\r\nConnection: close\r\n") {
		t.Errorf("POST without its body to the port without TLS: got %q and %v, want 403 and the end", got, err)
	}
}

// wantDomain fails the test unless a domain has a certificate from its
// verification on, and not before.
func (s *acmeService) wantDomain(t *testing.T, p *servertest.Process) {
	t.Helper()
	const name = "secrets.example.org"
	o := servertest.Operator{T: t, Data: s.data}
	header := http.Header{"Authorization": {"Bearer " + o.Account("ada@example.com")}}
	client := s.client(t, true)
	orders := s.acme.Orders()
	s.acme.DNS.SetA(name, "127.0.0.1")
	added := apitest.Send(t, client, http.MethodPost, p.URL+"/hush.v1.DomainService/AddDomain", header, `{"domain":"`+name+`"}`)
	if added.Status != http.StatusOK {
		t.Fatalf("AddDomain: got %d %s, want it added", added.Status, added.Body)
	}
	for range 3 {
		if res, err := s.client(t, false).Get("https://" + name + "/healthz"); err == nil {
			res.Body.Close()
			t.Error("a domain that is not verified: got a certificate, want none")
		}
	}
	if got := s.acme.Orders(); got != orders {
		t.Errorf("orders: got %d more, want none for a domain that is not verified", got-orders)
	}
	host, value := between(added.Body, `"txtValidationHost":"`), between(added.Body, `"txtValidationValue":"`)
	s.acme.DNS.SetTXT(host+"."+between(added.Body, `"baseDomain":"`), value)
	o.Ok("", "domain", "verify", name)
	s.await(t, p, name)
}

// between returns what stands between a text and the next quote.
func between(text, start string) string {
	_, rest, _ := strings.Cut(text, start)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// The ACME server is away at the first start. The service starts, says so, and is
// alive for its health check; nothing is served to others without a certificate.
// Metrics say so, and once the server is back, when the certificate ends.
func TestACMEServerAway(t *testing.T) {
	servertest.RunOnce(t, "about certificates")
	t.Parallel()
	s := newACMEService(t)
	s.acme.SetAway(true)
	p := s.start(t, "--admin-listen=127.0.0.1:0")
	p.Log.WaitFor(t, "no certificate yet")
	p.AwaitCertificate(t, nil, 1)
	servertest.Call(t, nil, "", "healthcheck", "--listen", s.secure, "--acme", "--base-url=https://"+acmeHost).Want(t, "healthcheck", command.ExitOK)
	if res, err := s.client(t, false).Get("https://" + acmeHost + "/healthz"); err == nil {
		res.Body.Close()
		t.Error("a client that checks certificates: got a response, want an error")
	}
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
	s.acme.SetAway(false)
	p = s.start(t, "--admin-listen=127.0.0.1:0")
	s.await(t, p, acmeHost)
	conn, err := tls.Dial("tcp", s.secure, &tls.Config{ServerName: acmeHost, RootCAs: s.acme.Issued})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p.AwaitCertificate(t, conn.ConnectionState().PeerCertificates[0], 0)
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
}

// What --acme does not go with is refused before anything is created.
func TestACMEMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                   "--acme needs --base-url=https://NAME",
		"--base-url=http://hush.example.com": "--acme needs --base-url=https://NAME",
		"--base-url=https://192.0.2.1":       "--acme needs --base-url=https://NAME",
		"--base-url=https://localhost":       "--acme needs --base-url=https://NAME",
		"--base-url=https://hush.example.com --tls-cert=a --tls-key=b":               "--acme does not go with --tls-cert",
		"--base-url=https://hush.example.com --listen=unix:/run/x":                   "--listen=unix:/run/x",
		"--base-url=https://hush.example.com --acme-http-listen=unix:/x":             "--acme-http-listen=unix:/x",
		"--base-url=https://hush.example.com --store=memory":                         "needs a data folder",
		"--base-url=https://hush.example.com --store=postgres://db.example.com/x":    "a database that nodes share",
		"--base-url=https://hush.example.com --acme-email=ops":                       "must be an e-mail address",
		"--base-url=https://hush.example.com --acme-directory=http://ca.example/dir": "must be a URL that begins with https://",
	} {
		data := filepath.Join(t.TempDir(), "data")
		servertest.Call(t, nil, "", append([]string{"serve", "--acme", "--data", data}, strings.Fields(args)...)...).
			Want(t, "serve --acme "+args, command.ExitUsage, want)
		if _, err := os.Stat(data); err == nil {
			t.Errorf("serve --acme %s: got a data folder, want none", args)
		}
	}
	got := servertest.Call(t, nil, "", "admin", "config", "check", "--acme", "--base-url=https://hush.example.com").Want(t, "admin config check", command.ExitOK)
	if !strings.Contains(got.Stdout, "\nlisten: :443 ") && !strings.HasPrefix(got.Stdout, "listen: :443 ") {
		t.Errorf("config check --acme: got %s, want the ports it listens on", got.Stdout)
	}
}
