package booted_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
	"hush/server/metrics"
	"hush/server/servertest"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault/cluster"
)

// series returns the value of the series of a metric that has a label.
func series(families map[string]*dto.MetricFamily, name, label, wanted string) (total float64) {
	for _, one := range families[name].GetMetric() {
		for _, pair := range one.GetLabel() {
			if pair.GetName() == label && pair.GetValue() == wanted {
				total += one.GetGauge().GetValue() + one.GetCounter().GetValue()
			}
		}
	}
	return total
}

// Nodes of a database export the same of what is in it, and each what it did
// itself.
func TestMetricsOfNodes(t *testing.T) {
	t.Parallel()
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	var nodes []*servertest.Server
	var scraped []map[string]*dto.MetricFamily
	names := []string{"eu-1", "eu-2"}
	for _, name := range names {
		nodes = append(nodes, servertest.Start(t, "--store", store, "--root-key-file", key, "--node-name", name, "--admin-listen=127.0.0.1:0"))
	}
	client := servertest.HTTPClient(t, false, nil)
	first, second := servertest.Drivers(t, nodes[0], nil)[0], servertest.Drivers(t, nodes[1], nil)[0]
	for range 3 {
		apitest.MustConceal(t, first, apitest.Terms{Secret: "kept"})
	}
	opened := apitest.MustConceal(t, first, apitest.Terms{Secret: "opened"})
	second.Reveal(t.Context(), opened.SecretKey, "").WantValue(t, "reveal on the other node", "opened")
	for _, node := range nodes {
		families, _ := servertest.Scrape(t, client, node.MetricsURL(t))
		scraped = append(scraped, families)
	}
	for _, m := range metrics.Table() {
		if !m.Shared() || len(m.Labels) > 0 {
			continue
		}
		if a, b := servertest.Value(t, scraped[0], m.Name), servertest.Value(t, scraped[1], m.Name); a != b {
			t.Errorf("%s of nodes that share a store: got %v and %v, want the same", m.Name, a, b)
		}
	}
	for i, families := range scraped {
		for name, want := range map[string]float64{
			"hush_secrets": 3, "hush_receipts": 4, "hush_secrets_created_total": 4, "hush_secrets_revealed_total": 1,
			"hush_ready": 1, "hush_store_read_failures_total": 0, "hush_clock_leapt": 0,
		} {
			if got := servertest.Value(t, families, name); got != want {
				t.Errorf("%s of node %d: got %v, want %v", name, i, got, want)
			}
		}
		if got := servertest.Value(t, families, "hush_secrets_bytes"); got <= 0 || families["hush_store_updates_waiting"] == nil {
			t.Errorf("node %d: got %v bytes of secrets and %v, want some and a queue", i, got, families["hush_store_updates_waiting"])
		}
		commits, updates := series(families, "hush_store_commits_total", "result", "ok"), servertest.Value(t, families, "hush_store_commit_updates")
		if commits < 1 || updates < commits || servertest.Value(t, families, "hush_store_commit_duration_seconds") <= 0 || servertest.Value(t, families, "hush_share_sync_duration_seconds") <= 0 {
			t.Errorf("node %d: got %v commits of %v updates, want some and their times", i, commits, updates)
		}
		if got := series(families, "hush_node_info", "self", "true"); got != 1 || len(families["hush_node_live"].GetMetric()) != 2 {
			t.Errorf("node %d: got %v nodes that are itself of %v, want 1 of 2", i, got, families["hush_node_info"])
		}
		for _, name := range names {
			if got := series(families, "hush_node_live", "node", name); got != 1 {
				t.Errorf("node %d: got %v of node %s, want it live under its name", i, families["hush_node_live"], name)
			}
		}
		for _, name := range []string{"hush_store_file_bytes", "hush_disk_free_bytes", "hush_disk_full"} {
			if families[name] != nil {
				t.Errorf("%s of node %d: got it, want nothing about a disk that has no data", name, i)
			}
		}
		share, reveal := series(families, "hush_requests_total", "route", "/api/v1/share"), series(families, "hush_requests_total", "route", "/api/v1/secret/{key}")
		if want := [][2]float64{{4, 0}, {0, 1}}[i]; [2]float64{share, reveal} != want {
			t.Errorf("requests of node %d: got %v shares and %v reveals, want its own, %v", i, share, reveal, want)
		}
	}
}

// A full disk shows in metrics, and the service stays ready: reveals go on.
func TestFullDiskIsReady(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := servertest.StartOn(t, data, servertest.InFolder)
	kept := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	s.Stop(t)
	s = servertest.StartOn(t, data, servertest.InFolder, "--min-free-bytes=1000000GiB", "--admin-listen=127.0.0.1:0")
	d := servertest.Drivers(t, s, nil)[0]
	s.WantReady(t, "on a full disk")
	if got := d.Conceal(t.Context(), apitest.Terms{Secret: "more"}); got.SecretKey != "" {
		t.Errorf("conceal on a full disk: got %+v, want it refused", got)
	}
	families, _ := servertest.Scrape(t, servertest.HTTPClient(t, false, nil), s.MetricsURL(t))
	if servertest.Value(t, families, "hush_disk_full") != 1 || servertest.Value(t, families, "hush_disk_free_bytes") <= 0 || servertest.Value(t, families, "hush_ready") != 1 {
		t.Errorf("GET /metrics on a full disk: got %v, %v and %v, want it full and ready", families["hush_disk_full"], families["hush_disk_free_bytes"], families["hush_ready"])
	}
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal on a full disk", "kept")
}

// A clock that leapt forward shows in metrics, and the service stays ready. To a
// process, the time since the last one ended is a leap, too.
func TestLeaptClockIsReady(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := servertest.StartOn(t, data, servertest.InFolder)
	kept := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	s.Stop(t)
	setBack(t, data, 5*time.Hour)
	s = servertest.StartOn(t, data, servertest.InFolder, "--admin-listen=127.0.0.1:0")
	client := servertest.HTTPClient(t, false, nil)
	servertest.WaitUntil(t, "the sweeper to see the leap", func() bool {
		families, _ := servertest.Scrape(t, client, s.MetricsURL(t))
		return servertest.Value(t, families, "hush_clock_leapt") == 1
	})
	s.WantReady(t, "while the clock has leapt")
	servertest.Drivers(t, s, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal while the clock has leapt", "kept")
}

// setBack sets the clock of a data folder back.
func setBack(t *testing.T, data string, by time.Duration) {
	t.Helper()
	folder, err := bolt.OpenFolder(data)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, _, err := folder.Open(bolt.Options{Fault: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Update(t.Context(), func(tx storage.Tx) error { return cluster.PutMark(tx, time.Now().Add(-by)) }); err != nil {
		t.Fatal(err)
	}
}

// A service that waits for the data folder does not say that it is ready.
func TestNotReadyWhileWaiting(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	first := servertest.StartOn(t, data, servertest.InFolder)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiting, ended := servertest.NewOutput(), make(chan int, 1)
	address := servertest.FreeAddress(t)
	go func() {
		ended <- program.Run(ctx, []string{"serve", "--store=bolt", "--data", data, "--listen", address, "--wait-for-store=1m"}, nil, strings.NewReader(""), io.Discard, waiting)
	}()
	waiting.WaitFor(t, "waiting for the process that holds the data folder")
	asking, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	target := "http://" + address + "/readyz"
	req, err := http.NewRequestWithContext(asking, http.MethodGet, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultTransport.RoundTrip(req); err == nil {
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			t.Errorf("GET /readyz while waiting: got %s, want anything else", res.Status)
		}
	}
	first.Stop(t)
	select {
	case <-waiting.Served:
	case <-time.After(apitest.Patience):
		t.Fatalf("serve: got no start after the first ended, want one; it wrote:\n%s", waiting)
	}
	if got := apitest.Send(t, servertest.HTTPClient(t, false, nil), http.MethodGet, "http://"+address+"/readyz", nil, ""); got.Status != http.StatusOK {
		t.Errorf("GET /readyz after the wait: got %d, want 200", got.Status)
	}
	cancel()
	if code := <-ended; code != command.ExitOK {
		t.Errorf("serve: got exit code %d, want %d", code, command.ExitOK)
	}
}

// The spent log shows in metrics: how far it is, when it was last synced, and what
// it takes.
func TestMetricsOfSpentLog(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.InFolder, "--spent-log="+filepath.Join(t.TempDir(), "spent"), "--admin-listen=127.0.0.1:0")
	client, d := servertest.HTTPClient(t, false, nil), servertest.Drivers(t, s, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	before := float64(time.Now().UnixMilli()) / 1000
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
	families, _ := servertest.Scrape(t, client, s.MetricsURL(t))
	for name, want := range map[string]float64{
		"hush_spent_log_last_sequence": 1, "hush_spent_log_segments": 1, "hush_spent_log_full": 0, "hush_spent_log_sync_failures_total": 0,
	} {
		if got := servertest.Value(t, families, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if got := servertest.Value(t, families, "hush_spent_log_bytes"); got < 1<<20 {
		t.Errorf("hush_spent_log_bytes: got %v, want at least a step of 1 MiB", got)
	}
	if got := servertest.Value(t, families, "hush_spent_log_last_sync_timestamp_seconds"); got < before {
		t.Errorf("hush_spent_log_last_sync_timestamp_seconds: got %v, want at least %v", got, before)
	}
}
