package booted_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// tokenFile writes a token, after the mark that some editors make.
func tokenFile(t *testing.T, token string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("\ufeff"+token+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// scraper returns a client that trusts pool and has the certificates.
func scraper(t *testing.T, pool *x509.CertPool, certificates ...tls.Certificate) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certificates}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ask gets a path with a header; the status is 0 where there is no response.
func ask(t *testing.T, client *http.Client, method, url string, header http.Header) (status int, head http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(content)
}

// A machine in the same network scrapes with the token. An attacker there has none, tries
// others, asks for profiles, or lets a browser ask.
func TestMetricsForOtherMachines(t *testing.T) {
	t.Parallel()
	cert, key, pool := servertest.SelfSigned(t)
	s := servertest.Start(t, "--metrics-listen=127.0.0.1:0", "--metrics-tls-cert", cert, "--metrics-tls-key", key, "--metrics-token-file", tokenFile(t, servertest.ScrapeToken))
	client, base := scraper(t, pool), "https://"+s.ScrapeAddress(t)
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	with := func(name, value string) http.Header {
		header := bearer(servertest.ScrapeToken)
		header.Set(name, value)
		return header
	}
	for _, c := range []struct {
		name, path string
		header     http.Header
		want       int
	}{
		{"the token", "/metrics", bearer(servertest.ScrapeToken), 200},
		{"the token, another spelling of the scheme", "/metrics", http.Header{"Authorization": {"bearer  " + servertest.ScrapeToken}}, 200},
		{"no token", "/metrics", nil, 401},
		{"an empty token", "/metrics", bearer(""), 401},
		{"another token", "/metrics", bearer("canary" + servertest.ScrapeToken), 401},
		{"a part of it", "/metrics", bearer(servertest.ScrapeToken[:31]), 401},
		{"another scheme", "/metrics", http.Header{"Authorization": {"Basic " + servertest.ScrapeToken}}, 401},
		{"no scheme", "/metrics", http.Header{"Authorization": {servertest.ScrapeToken}}, 401},
		{"profiles", "/debug/pprof/", bearer(servertest.ScrapeToken), 404},
		{"a profile", "/debug/pprof/heap", bearer(servertest.ScrapeToken), 404},
		{"the command line", "/debug/pprof/cmdline", bearer(servertest.ScrapeToken), 404},
		{"profiles without the token", "/debug/pprof/", nil, 401},
		{"something else", "/api/v1/status", bearer(servertest.ScrapeToken), 404},
		{"a page elsewhere", "/metrics", with("Origin", "https://elsewhere.example"), 403},
		{"a picture elsewhere", "/metrics", with("Sec-Fetch-Site", "cross-site"), 403},
	} {
		status, head, body := ask(t, client, http.MethodGet, base+c.path, c.header)
		if status != c.want || head.Get("Access-Control-Allow-Origin") != "" || strings.Contains(body, "hush_ready") != (c.want == 200) {
			t.Errorf("GET %s with %s: got %d %.200s, want %d", c.path, c.name, status, body, c.want)
		}
		if challenge := head.Get("WWW-Authenticate"); (challenge != "") != (c.want == 401) {
			t.Errorf("GET %s with %s: got the challenge %q, want one with 401 alone", c.path, c.name, challenge)
		}
	}
	if status, _, _ := ask(t, client, http.MethodPost, base+"/metrics", bearer(servertest.ScrapeToken)); status != http.StatusMethodNotAllowed {
		t.Errorf("POST /metrics: got %d, want 405", status)
	}
	log := s.Log.String()
	if strings.Contains(log, servertest.ScrapeToken) || strings.Contains(log, "canary") {
		t.Errorf("serve: got a token in its log, want none:\n%s", log)
	}
	if got := strings.Count(log, "a request for metrics was refused"); got != 1 {
		t.Errorf("serve: got %d lines about refused requests, want one a minute", got)
	}
	if got := s.Plainly(t); !strings.Contains(got, "400 Bad Request") || !strings.Contains(got, "HTTP request to an HTTPS server") {
		t.Errorf("GET /metrics without TLS: got %q, want a response that says so", got)
	}
}

// Only who has a certificate of the authority scrapes; with a token as well, only who has
// both. The certificate of the service is that of people here.
func TestMetricsByCertificate(t *testing.T) {
	t.Parallel()
	cert, key, pool := servertest.SelfSigned(t)
	clientCert, clientKey, _ := servertest.SelfSigned(t)
	otherCert, otherKey, _ := servertest.SelfSigned(t)
	pair := func(cert, key string) tls.Certificate {
		made, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	known, stranger := scraper(t, pool, pair(clientCert, clientKey)), scraper(t, pool, pair(otherCert, otherKey))
	flags := []string{"--tls-cert", cert, "--tls-key", key, "--metrics-listen=127.0.0.1:0", "--metrics-client-ca", clientCert}
	s := servertest.Start(t, flags...)
	url := "https://" + s.ScrapeAddress(t) + "/metrics"
	if status, _, body := ask(t, known, http.MethodGet, url, nil); status != http.StatusOK || !strings.Contains(body, "hush_ready") {
		t.Errorf("GET /metrics with a certificate: got %d %.200s, want metrics", status, body)
	}
	for name, client := range map[string]*http.Client{"no certificate": scraper(t, pool), "a certificate of another authority": stranger} {
		if status, _, body := ask(t, client, http.MethodGet, url, nil); status != 0 || !strings.Contains(body, "tls:") {
			t.Errorf("GET /metrics with %s: got %d %.200s, want a refusal by TLS", name, status, body)
		}
	}
	if status, _, body := ask(t, known, http.MethodGet, strings.Replace(url, "/metrics", "/debug/pprof/", 1), nil); status != http.StatusNotFound {
		t.Errorf("GET /debug/pprof/ with a certificate: got %d %.200s, want 404", status, body)
	}
	both := servertest.Start(t, append(flags, "--metrics-token-file", tokenFile(t, servertest.ScrapeToken))...)
	url = "https://" + both.ScrapeAddress(t) + "/metrics"
	if status, _, _ := ask(t, known, http.MethodGet, url, nil); status != http.StatusUnauthorized {
		t.Errorf("GET /metrics with a certificate where a token is needed, too: got %d, want 401", status)
	}
	token := http.Header{"Authorization": {"Bearer " + servertest.ScrapeToken}}
	if status, _, body := ask(t, scraper(t, pool), http.MethodGet, url, token); status != 0 {
		t.Errorf("GET /metrics with a token where a certificate is needed, too: got %d %.200s, want a refusal by TLS", status, body)
	}
	if status, _, _ := ask(t, known, http.MethodGet, url, token); status != http.StatusOK {
		t.Errorf("GET /metrics with both: got %d, want 200", status)
	}
}

// Mistakes in the files show before anything is created, by the name of the flag and
// without a token.
func TestMetricsFilesAreChecked(t *testing.T) {
	t.Parallel()
	cert, key, _ := servertest.SelfSigned(t)
	data, missing := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "missing")
	serve := func(flags ...string) servertest.Result {
		return servertest.Call(t, nil, "", append([]string{"serve", "--data", data, "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--metrics-tls-cert", cert}, flags...)...)
	}
	good := tokenFile(t, servertest.ScrapeToken)
	for _, token := range []string{"canary-short", "canary with spaces 0123456789 0123456789", "canaryé0123456789012345678901234567"} {
		got := serve("--metrics-tls-key", key, "--metrics-token-file", tokenFile(t, token)).Want(t, "serve", command.ExitFailure, "--metrics-token-file: the first line of ")
		if strings.Contains(got.Stderr, "canary") {
			t.Errorf("serve with a wrong token: got %s, want no token", got.Stderr)
		}
	}
	serve("--metrics-tls-key", key, "--metrics-token-file", missing).Want(t, "serve", command.ExitFailure, "--metrics-token-file: open "+missing)
	serve("--metrics-tls-key", key, "--metrics-client-ca", key).Want(t, "serve", command.ExitFailure, "--metrics-client-ca: "+key+" has no certificate in PEM format")
	serve("--metrics-tls-key", missing, "--metrics-token-file", good).Want(t, "serve", command.ExitFailure, "reading the certificate of --metrics-tls-cert and --metrics-tls-key")
	serve("--metrics-tls-key", key).Want(t, "serve", command.ExitUsage, "say who may scrape")
	if _, err := os.Stat(data); err == nil {
		t.Error("serve with wrong files of metrics: got a data folder, want none")
	}
}
