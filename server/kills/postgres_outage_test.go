package kills_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage/postgres/postgrestest"
)

// The database goes away under a node, and comes back. The process lives on:
// requests are refused as unavailable, with the time to wait, nothing is lost,
// and the node serves again without a restart.
func TestDatabaseGoesAway(t *testing.T) {
	t.Parallel()
	store := servertest.NewDatabase(t)
	proxy, err := postgrestest.StartProxy(servertest.NeedPostgres(t), func(int) int { return 1 })
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--store", proxy.URL(servertest.DatabaseName(t, store)), "--sandbox=auto", "--admin-listen=127.0.0.1:0", "--log-level=info")
	client := servertest.HTTPClient(t, false, nil)
	legacy := servertest.Drivers(t, p.Server, nil)[0]
	kept := apitest.MustConceal(t, legacy, apitest.Terms{Secret: "kept"})

	proxy.Refuse(true)
	proxy.Cut()
	rpc := hushv1connect.NewSecretServiceClient(client, p.URL)
	_, err = rpc.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Secret: "lost"})
	if connect.CodeOf(err) != connect.CodeUnavailable || strings.Contains(err.Error(), "postgres") {
		t.Errorf("ConcealSecret without a database: got %v, want unavailable and nothing of the database", err)
	}
	got := apitest.Send(t, client, http.MethodPost, p.URL+"/api/v2/secret/conceal", nil, `{"secret":{"secret":"lost","kind":"conceal"}}`)
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("conceal without a database: got %d %v, want 503 with Retry-After", got.Status, got.Header)
	}
	servertest.WaitUntil(t, "the node to say that it is not ready", func() bool {
		return apitest.Send(t, client, http.MethodGet, p.URL+"/healthz", nil, "").Status == http.StatusServiceUnavailable
	})
	if got := apitest.Send(t, client, http.MethodGet, p.URL+"/api/v2/status", nil, ""); got.Status != http.StatusServiceUnavailable {
		t.Errorf("status without a database: got %d %s, want 503", got.Status, got.Body)
	}

	families, _ := servertest.Scrape(t, client, p.MetricsURL(t))
	if servertest.Value(t, families, "hush_ready") != 0 || servertest.Value(t, families, "hush_store_read_failures_total") < 1 || families["hush_secrets"] != nil {
		t.Errorf("GET /metrics without a database: got %v, %v and %v, want what the process knows itself",
			families["hush_ready"], families["hush_store_read_failures_total"], families["hush_secrets"])
	}

	proxy.Refuse(false)
	servertest.WaitUntil(t, "the node to be ready again", func() bool {
		return apitest.Send(t, client, http.MethodGet, p.URL+"/healthz", nil, "").Status == http.StatusOK
	})
	if families, _ := servertest.Scrape(t, client, p.MetricsURL(t)); servertest.Value(t, families, "hush_ready") != 1 || servertest.Value(t, families, "hush_secrets") < 1 {
		t.Errorf("GET /metrics after the outage: got %v and %v, want a node that is ready and a secret", families["hush_ready"], families["hush_secrets"])
	}
	legacy.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after the outage", "kept")
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
}

// A node that stops leaves at once: one of the same name starts in its place.
func TestNodeStartsAgain(t *testing.T) {
	t.Parallel()
	store, data := servertest.NewDatabase(t), filepath.Join(t.TempDir(), "data")
	path := servertest.Build(t)
	var kept apitest.Answer
	for i := range 3 {
		p := servertest.StartProcess(t, path, data, "--store", store, "--node-name=same", "--log-level=info")
		d := servertest.Drivers(t, p.Server, nil)[0]
		if i > 0 {
			d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after a restart", "kept")
		}
		kept = apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
		if !strings.Contains(p.Log.String(), "number=0") {
			t.Errorf("start %d: got %s, want the number of the node that stopped", i, p.Log)
		}
		if err := p.Terminate(t); err != nil {
			t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
		}
	}
}
