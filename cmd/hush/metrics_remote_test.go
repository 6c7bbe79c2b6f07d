package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
)

// scrapeToken is the token of scrapers.
const scrapeToken = "0123456789abcdef0123456789abcdef"

// scrapeAddress is where the metrics for other machines are served.
func (s *testServer) scrapeAddress(t testing.TB) string {
	t.Helper()
	_, rest, found := strings.Cut(s.log.String(), " metrics_address=")
	address, _, _ := strings.Cut(rest, " ")
	if !found || address == "" || address == `""` {
		t.Fatalf("serve: got no metrics_address in %s", s.log)
	}
	return address
}

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
	cert, key, pool := selfSigned(t)
	s := startHush(t, "--metrics-listen=127.0.0.1:0", "--metrics-tls-cert", cert, "--metrics-tls-key", key, "--metrics-token-file", tokenFile(t, scrapeToken))
	client, base := scraper(t, pool), "https://"+s.scrapeAddress(t)
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	with := func(name, value string) http.Header {
		header := bearer(scrapeToken)
		header.Set(name, value)
		return header
	}
	for _, c := range []struct {
		name, path string
		header     http.Header
		want       int
	}{
		{"the token", "/metrics", bearer(scrapeToken), 200},
		{"the token, another spelling of the scheme", "/metrics", http.Header{"Authorization": {"bearer  " + scrapeToken}}, 200},
		{"no token", "/metrics", nil, 401},
		{"an empty token", "/metrics", bearer(""), 401},
		{"another token", "/metrics", bearer("canary" + scrapeToken), 401},
		{"a part of it", "/metrics", bearer(scrapeToken[:31]), 401},
		{"another scheme", "/metrics", http.Header{"Authorization": {"Basic " + scrapeToken}}, 401},
		{"no scheme", "/metrics", http.Header{"Authorization": {scrapeToken}}, 401},
		{"profiles", "/debug/pprof/", bearer(scrapeToken), 404},
		{"a profile", "/debug/pprof/heap", bearer(scrapeToken), 404},
		{"the command line", "/debug/pprof/cmdline", bearer(scrapeToken), 404},
		{"profiles without the token", "/debug/pprof/", nil, 401},
		{"something else", "/api/v1/status", bearer(scrapeToken), 404},
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
	if status, _, _ := ask(t, client, http.MethodPost, base+"/metrics", bearer(scrapeToken)); status != http.StatusMethodNotAllowed {
		t.Errorf("POST /metrics: got %d, want 405", status)
	}
	log := s.log.String()
	if strings.Contains(log, scrapeToken) || strings.Contains(log, "canary") {
		t.Errorf("serve: got a token in its log, want none:\n%s", log)
	}
	if got := strings.Count(log, "a request for metrics was refused"); got != 1 {
		t.Errorf("serve: got %d lines about refused requests, want one a minute", got)
	}
	if got := s.plainly(t); !strings.Contains(got, "400 Bad Request") || !strings.Contains(got, "HTTP request to an HTTPS server") {
		t.Errorf("GET /metrics without TLS: got %q, want a response that says so", got)
	}
}

// plainly returns what the port for other machines sends to who speaks no TLS.
func (s *testServer) plainly(t *testing.T) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.scrapeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+scrapeToken+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(bufio.NewReader(conn))
	if err != nil && len(got) == 0 {
		t.Fatal(err)
	}
	return string(got)
}

// Only who has a certificate of the authority scrapes; with a token as well, only who has
// both. The certificate of the service is that of people here.
func TestMetricsByCertificate(t *testing.T) {
	t.Parallel()
	cert, key, pool := selfSigned(t)
	clientCert, clientKey, _ := selfSigned(t)
	otherCert, otherKey, _ := selfSigned(t)
	pair := func(cert, key string) tls.Certificate {
		made, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	known, stranger := scraper(t, pool, pair(clientCert, clientKey)), scraper(t, pool, pair(otherCert, otherKey))
	flags := []string{"--tls-cert", cert, "--tls-key", key, "--metrics-listen=127.0.0.1:0", "--metrics-client-ca", clientCert}
	s := startHush(t, flags...)
	url := "https://" + s.scrapeAddress(t) + "/metrics"
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
	both := startHush(t, append(flags, "--metrics-token-file", tokenFile(t, scrapeToken))...)
	url = "https://" + both.scrapeAddress(t) + "/metrics"
	if status, _, _ := ask(t, known, http.MethodGet, url, nil); status != http.StatusUnauthorized {
		t.Errorf("GET /metrics with a certificate where a token is needed, too: got %d, want 401", status)
	}
	token := http.Header{"Authorization": {"Bearer " + scrapeToken}}
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
	cert, key, _ := selfSigned(t)
	data, missing := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "missing")
	serve := func(flags ...string) result {
		return call(t, nil, "", append([]string{"serve", "--data", data, "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--metrics-tls-cert", cert}, flags...)...)
	}
	good := tokenFile(t, scrapeToken)
	for _, token := range []string{"canary-short", "canary with spaces 0123456789 0123456789", "canaryé0123456789012345678901234567"} {
		got := serve("--metrics-tls-key", key, "--metrics-token-file", tokenFile(t, token)).want(t, "serve", command.ExitFailure, "--metrics-token-file: the first line of ")
		if strings.Contains(got.stderr, "canary") {
			t.Errorf("serve with a wrong token: got %s, want no token", got.stderr)
		}
	}
	serve("--metrics-tls-key", key, "--metrics-token-file", missing).want(t, "serve", command.ExitFailure, "--metrics-token-file: open "+missing)
	serve("--metrics-tls-key", key, "--metrics-client-ca", key).want(t, "serve", command.ExitFailure, "--metrics-client-ca: "+key+" has no certificate in PEM format")
	serve("--metrics-tls-key", missing, "--metrics-token-file", good).want(t, "serve", command.ExitFailure, "reading the certificate of --metrics-tls-cert and --metrics-tls-key")
	serve("--metrics-tls-key", key).want(t, "serve", command.ExitUsage, "say who may scrape")
	if _, err := os.Stat(data); err == nil {
		t.Error("serve with wrong files of metrics: got a data folder, want none")
	}
}
