package hush_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/handlers"
	"hush/testtier"
	"hush/vault/vaulttest"
)

// Over TLS all calls, streams among them, share one connection of HTTP/2.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var calls, older atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval, proxy.ErrorLog = -1, slog.NewLogLogger(slog.DiscardHandler, 0)
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1); r.ProtoMajor != 2 {
			older.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	front.EnableHTTP2 = true
	front.StartTLS()
	defer front.Close()
	roots := x509.NewCertPool()
	roots.AddCert(front.Certificate())
	sender := client.Options{}.WithDefaults().HTTP
	sender.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	c := clientOf(t, front.URL, client.Options{HTTP: sender})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	seen := follow(t.Context(), c, shared.Receipt.Key)
	wantSeen(t, seen, "waiting unknown 1")
	opened, err := c.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
	clienttest.WantText(t, opened, err, "hunter2")
	for range seen { // to its end
	}
	if calls.Load() < 5 || older.Load() > 0 {
		t.Errorf("got %d calls, %d of them not over HTTP/2", calls.Load(), older.Load())
	}
}

// The test runs itself in a process with a proxy in its environment. There it has
// only the proxy to find its server.
func TestProxyFromTheEnvironment(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "starts itself as a process")
	if os.Getenv("HUSH_TEST_PROXIED") != "" {
		policy, err := clientOf(t, "http://hush.example", client.Options{}).Policy(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stdout, "policy of", policy.Name)
		return
	}
	s := clienttest.Start(t, vaulttest.Options{}, func(o *handlers.Options) { o.Instance.Name = "Hush of Ada" })
	d := startDouble(t, s, nil)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestProxyFromTheEnvironment$")
	cmd.Env = append(os.Environ(), "HUSH_TEST_PROXIED=1", "HTTP_PROXY="+d.url, "NO_PROXY=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "policy of Hush of Ada") {
		t.Errorf("Policy through a proxy: got %v\n%s", err, out)
	}
}

// Every request says which program calls, and has the token of its server.
func TestHeadersOfRequests(t *testing.T) {
	t.Parallel()
	var agents, credentials []string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents, credentials = append(agents, r.UserAgent()), append(credentials, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer front.Close()
	_, err := clientOf(t, front.URL+"/hush/", client.Options{}).Policy(t.Context())
	clienttest.WantError(t, "Policy", err, client.ErrProtocol)
	_, err = clientOf(t, front.URL, client.Options{UserAgent: "ci/1", Token: client.Hide("0123456789")}).Policy(t.Context())
	clienttest.WantError(t, "Policy", err, client.ErrProtocol)
	if got := strings.Join(agents, ", "); got != "hush-client, ci/1" {
		t.Errorf("User-Agent: got %q", got)
	}
	if got := strings.Join(credentials, ", "); got != ", Bearer 0123456789" {
		t.Errorf("Authorization: got %q", got)
	}
}
