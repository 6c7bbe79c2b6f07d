package booted_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/cmd/hush/program"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/vault"
	"hush/vault/keylist"
)

// labelValues returns a check for the values of each label: each is from a set
// that is known before the service starts.
func labelValues(t *testing.T) map[string]func(string) bool {
	t.Helper()
	api, err := handlers.Described()
	if err != nil {
		t.Fatal(err)
	}
	templates := []string{"unknown"}
	for _, row := range routes.Table(api) {
		templates = append(templates, row.Path)
	}
	kinds, states := vault.MailTries()
	for _, kind := range keylist.SealedKinds() {
		kinds = append(kinds, strings.ToLower(string(kind)))
	}
	for i := range kinds {
		kinds[i] = strings.ReplaceAll(kinds[i], " ", "_")
	}
	oneOf := func(values ...string) func(string) bool {
		return func(value string) bool { return slices.Contains(values, value) }
	}
	like := func(pattern string) func(string) bool { return regexp.MustCompile("^(?:" + pattern + ")$").MatchString }
	return map[string]func(string) bool{
		"route": oneOf(templates...), "code": oneOf(chain.Codes()...), "status": like(`[1-5][0-9][0-9]`),
		"limit":  oneOf(append(chain.Limits(), "connections", "other")...),
		"kind":   oneOf(append(kinds, "passphrase", "password", vault.SweptSecrets, vault.SweptRest)...),
		"state":  oneOf(states...),
		"result": oneOf("ok", "conflict", "full", "unavailable", "unknown", "error", "other"),
		"lane":   oneOf("create", "open", "unpack"),
		"node":   like(`[ -~]{1,255}`), "number": like(`[0-9]{1,4}`), "self": oneOf("true", "false"),
		"version": oneOf(program.Version(), "go1"), "release": oneOf(program.Version()), "goversion": like(`go1\.[0-9.]+\S*`),
	}
}

// A scraper, and who reads its database for years, learns nothing about callers,
// secrets and domains, whatever was sent: neither from a label nor by how many
// there are.
func TestMetricsTellNothingOfCallers(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--admin-listen=127.0.0.1:0", "--trusted-proxies=127.0.0.1")
	sent, answers := &apitest.Canaries{}, &listener{}
	for _, http2 := range []bool{false, true} {
		client := servertest.HTTPClient(t, http2, canaryHeader(sent, http2))
		client.Transport = answers.listenTo(client.Transport)
		for i, d := range driversOn(client, s, http2) {
			liveOn(t, sent, d, fmt.Sprintf("%s over HTTP/2 %t, %d", d.Name(), http2, i))
		}
		provokeErrors(t, sent, client, s)
	}
	families, text := servertest.Scrape(t, servertest.HTTPClient(t, false, nil), s.MetricsURL(t))
	sent.Search(t, "/metrics", []byte(text))
	for _, part := range []string{"198.51.100", "2001:db8", "127.0.0", "example.com", s.Addr, s.Data} {
		if strings.Contains(text, part) {
			t.Errorf("/metrics: got %s in it, want nothing of a caller", part)
		}
	}
	searchProfiles(t, sent, s)
	known := labelValues(t)
	for name, family := range families {
		for _, series := range family.GetMetric() {
			for _, label := range series.GetLabel() {
				check := known[label.GetName()]
				goInfo := name == "go_info" && strings.HasPrefix(label.GetValue(), "go1")
				if !goInfo && (check == nil || !check(label.GetValue())) {
					t.Errorf("%s: got %s=%q, want a value of a closed set", name, label.GetName(), label.GetValue())
				}
			}
		}
	}
	for _, want := range []string{
		`hush_requests_total{code="ok",route="/api/v1/share",status="200"}`,
		`hush_requests_total{code="ok",route="/hush.v1.SecretService/RevealSecret",status="200"}`,
		`hush_requests_total{code="not_found",route="/api/v2/secret/{key}/reveal",status="404"}`,
		`hush_store_commits_total{result="ok"}`, `hush_ready 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("/metrics: got no %s", want)
		}
	}
}

// searchProfiles searches what profiles tell of the process.
func searchProfiles(t *testing.T, c *apitest.Canaries, s *servertest.Server) {
	t.Helper()
	client := servertest.HTTPClient(t, false, nil)
	for _, name := range []string{"goroutine?debug=1", "heap?debug=1", "heap", "allocs", "threadcreate", "block", "mutex", "trace?seconds=0.1", "profile?seconds=1"} {
		got := apitest.Send(t, client, http.MethodGet, strings.TrimSuffix(s.MetricsURL(t), "metrics")+"debug/pprof/"+name, nil, "")
		content := []byte(got.Body)
		if packed, err := gzip.NewReader(strings.NewReader(got.Body)); err == nil {
			if content, err = io.ReadAll(packed); err != nil {
				t.Errorf("GET /debug/pprof/%s: got %v, want a profile", name, err)
			}
		}
		// Another test may be profiling this process.
		if got.Status != http.StatusOK && !strings.Contains(got.Body, "already in use") || len(content) == 0 {
			t.Errorf("GET /debug/pprof/%s: got %d %s, want a profile", name, got.Status, got.Body)
		}
		c.Search(t, "/debug/pprof/"+name, content)
	}
	// Stacks with arguments, and the command line, which may have a password of a
	// database.
	for name, want := range map[string]int{"goroutine?debug=2": http.StatusForbidden, "cmdline": http.StatusNotFound} {
		if got := apitest.Send(t, client, http.MethodGet, strings.TrimSuffix(s.MetricsURL(t), "metrics")+"debug/pprof/"+name, nil, ""); got.Status != want {
			t.Errorf("GET /debug/pprof/%s: got %d, want %d", name, got.Status, want)
		}
	}
}

// What the store holds shows in a scrape.
func TestMetricsFollowSecrets(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--admin-listen=127.0.0.1:0")
	client := servertest.HTTPClient(t, false, nil)
	d := apitest.NewRPCDriver("connect-json", client, s.URL, apitest.ConnectJSON()...)
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "one"})
	apitest.MustConceal(t, d, apitest.Terms{Secret: "two", Passphrase: "open sesame"})
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "one")
	families, _ := servertest.Scrape(t, client, s.MetricsURL(t))
	for name, want := range map[string]float64{
		"hush_secrets": 1, "hush_receipts": 2, "hush_secrets_created_total": 2, "hush_secrets_revealed_total": 1,
		"hush_hashes_total": 1, "hush_ready": 1, "hush_clock_leapt": 0, "hush_store_read_failures_total": 0,
	} {
		series := families[name].GetMetric()
		if len(series) != 1 {
			t.Errorf("%s: got %v, want one value", name, series)
			continue
		}
		if got := series[0].GetGauge().GetValue() + series[0].GetCounter().GetValue(); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	for name := range families {
		if strings.HasPrefix(name, "hush_certificate") {
			t.Errorf("%s without TLS: got it, want nothing about certificates", name)
		}
	}
	if got := apitest.Send(t, client, http.MethodGet, s.URL+"/readyz", nil, ""); got.Status != http.StatusOK {
		t.Errorf("GET /readyz: got %d, want 200", got.Status)
	}
	if got := apitest.Send(t, client, http.MethodGet, s.URL+"/metrics", nil, ""); got.Status != http.StatusNotFound {
		t.Errorf("GET /metrics where people are served: got %d, want 404", got.Status)
	}
}

// A page of another site must neither read metrics through a name of its own that
// leads here nor make a browser on this machine ask for them.
func TestMetricsRefuseOtherSites(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--admin-listen=localhost:0")
	for _, c := range []struct {
		host, header, value string
		want                int
	}{
		{"", "", "", 200},
		{"localhost", "", "", 200},
		{"[::1]:7", "", "", 200},
		{"[::1]", "Sec-Fetch-Site", "same-origin", 200},
		{"", "Sec-Fetch-Site", "none", 200},
		{"rebound.example", "", "", 403},
		{"rebound.example:80", "Sec-Fetch-Site", "same-origin", 403},
		{"127.0.0.1.rebound.example", "", "", 403},
		{"", "Sec-Fetch-Site", "cross-site", 403},
		{"", "Sec-Fetch-Site", "same-site", 403},
		{"", "Origin", "https://elsewhere.example", 403},
		{"", "Origin", "null", 403},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.MetricsURL(t), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		if c.header != "" {
			req.Header.Set(c.header, c.value)
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("GET /metrics of %q with %s %q: got %s %v, want %d", c.host, c.header, c.value, res.Status, res.Header, c.want)
		}
	}
}

// Metrics are served to this machine only, and a taken address is noticed before
// anything is created.
func TestAdminListen(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, address := range []string{"0.0.0.0:7144", ":7144", "192.0.2.1:7144", "hush.example:7144", "[::]:7144"} {
		servertest.Call(t, nil, "", "serve", "--data", data, "--admin-listen", address).Want(t, "serve", command.ExitUsage, "must be on this machine")
	}
	servertest.Call(t, nil, "", "serve", "--data", data, "--admin-listen", "7144").Want(t, "serve", command.ExitUsage, "must be host:port")
	servertest.Call(t, nil, "", "serve", "--data", data, "--listen=127.0.0.1:7144", "--admin-listen=127.0.0.1:7144").
		Want(t, "serve", command.ExitUsage, "addresses of their own")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	servertest.Call(t, nil, "", "serve", "--data", data, "--listen=127.0.0.1:0", "--admin-listen", taken.Addr().String()).
		Want(t, "serve", command.ExitFailure, "--admin-listen="+taken.Addr().String()+": listening")
	servertest.Call(t, nil, "", "serve", "--data", data, "--listen=127.0.0.1:0", "--admin-listen=systemd:metrics").
		Want(t, "serve", command.ExitFailure, "systemd passed no socket")
	if _, err := os.Stat(data); err == nil {
		t.Error("serve with a wrong --admin-listen: got a data folder, want none")
	}
}

func TestMetricsOnUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "metrics.sock")
	servertest.Start(t, "--admin-listen=unix:"+path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the socket: got %v and %v, want -rw-------", info, err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	families, _ := servertest.Scrape(t, client, "http://any.example/metrics")
	if families["hush_build_info"] == nil {
		t.Errorf("GET /metrics over a socket: got %d metrics, want hush_build_info", len(families))
	}
}

// What becomes of mails is counted, without their recipients.
func TestMetricsOfMail(t *testing.T) {
	t.Parallel()
	env, s, relay := servertest.StartAccountsWithMail(t, "--admin-listen=127.0.0.1:0")
	client := servertest.HTTPClient(t, false, nil)
	apitest.Call(t, client, s.URL, "/hush.v1.AccountService/RequestPasswordReset", nil, fmt.Sprintf(`{"address":%q}`, env.Ada.Address))
	relay.Wait(t, 1)
	const want = `hush_mails_total{kind="reset",state="sent"} 1`
	servertest.WaitUntil(t, want, func() bool {
		_, text := servertest.Scrape(t, client, s.MetricsURL(t))
		return strings.Contains(text, want)
	})
}

// A receipt that is watched is an open stream, until the watcher leaves.
func TestMetricsOfWatches(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--admin-listen=127.0.0.1:0")
	client := servertest.HTTPClient(t, true, nil)
	kept := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	watching, leave := context.WithCancel(t.Context())
	defer leave()
	stream, err := hushv1connect.NewMetadataServiceClient(client, s.URL).
		WatchMetadata(watching, &hushv1.WatchMetadataRequest{MetadataKey: kept.MetadataKey})
	if err != nil || !stream.Receive() {
		t.Fatalf("WatchMetadata: got %v, want a receipt", err)
	}
	defer stream.Close()
	open := func(want float64) func() bool {
		return func() bool {
			families, _ := servertest.Scrape(t, servertest.HTTPClient(t, false, nil), s.MetricsURL(t))
			return servertest.Value(t, families, "hush_streams") == want && servertest.Value(t, families, "hush_watches") == want
		}
	}
	servertest.WaitUntil(t, "a stream and a watch", open(1))
	leave()
	servertest.WaitUntil(t, "no stream and no watch", open(0))
}
