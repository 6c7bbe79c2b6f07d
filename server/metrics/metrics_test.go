package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"hush/server/metrics"
	"hush/storage"
)

func newMetrics(t testing.TB) *metrics.Metrics {
	t.Helper()
	m, err := metrics.New(metrics.Options{
		Version: "1.2.3", Codes: []string{"ok", "none", "not_found"}, Limits: []string{"quota"},
		Sweeps: []string{"secrets"}, MailKinds: []string{"address changed"}, MailStates: []string{"sent"},
	})
	if err != nil {
		t.Fatalf("New: got %v, want no error", err)
	}
	m.SetRoutes([]string{"/secret/{key}", "unknown"})
	return m
}

// state is a state in which everything is there.
func state(context.Context) metrics.State {
	began := time.Unix(1_700_000_000, 0)
	return metrics.State{
		Certificates: &metrics.Certificates{Begins: began, Ends: began.Add(90 * 24 * time.Hour), Failing: 2},
		Backups:      &metrics.Backups{Last: began, Bytes: 1 << 20, Every: time.Hour, Failures: 3},
		SpentLog:     &metrics.SpentLog{Last: 11, Full: true, Segments: 12, Bytes: 13},
		RootKeys:     metrics.RootKeys{Left: 12, OldUses: map[string]int{"API tokens": 13}},
		FileBytes:    new(int64(7)), Disk: &metrics.Disk{Free: 8, BallastDropped: true}, Files: &metrics.Files{Blobs: 14}, Totals: &metrics.Totals{Secrets: 9, Created: 10},
		Nodes: []metrics.Node{
			{Name: "eu-1", Number: 3, Release: "1.2.3", Self: true, Live: true, Age: 2 * time.Second},
			{Name: "eu-2", Number: 4, Release: "canary.example.com"},
			{Name: "eu-1", Number: 5, Release: "1.2.3"}, // a name that is not unique
		},
	}
}

// scrape returns what is exported, by name.
func scrape(t testing.TB, m *metrics.Metrics) (map[string]*dto.MetricFamily, string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	text := w.Body.String()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("GET /metrics: got %d and %v, want metrics\n%s", w.Code, err, text)
	}
	return families, text
}

// use lets every metric of its own count something.
func use(m *metrics.Metrics) {
	m.Responded("/secret/{key}", "not_found", 404, 20*time.Millisecond)
	m.Responded("/secret/{key}", "not_found", 404, 20*time.Millisecond)
	m.Refused("quota")
	m.RefusedConnection()
	m.Committed(3, time.Millisecond, nil)
	m.Committed(1, time.Millisecond, fmt.Errorf("committing: %w", storage.ErrFull))
	m.Synced(time.Millisecond, nil)
	m.SpentLogSynced(1, time.Millisecond, nil)
	m.SpentLogSynced(1, time.Millisecond, fmt.Errorf("writing the spent log: %w", storage.ErrFull))
	m.Swept("secrets", 5, time.Millisecond, nil)
	m.Swept("secrets", 0, time.Millisecond, errors.New("canary"))
	m.Mailed("address changed", "sent")
}

func TestTableIsWhatIsExported(t *testing.T) {
	m := newMetrics(t)
	if err := m.Read(state); err != nil {
		t.Fatalf("Read: got %v, want no error", err)
	}
	use(m)
	families, _ := scrape(t, m)
	table := metrics.Table()
	if !slices.IsSortedFunc(table, func(a, b metrics.Metric) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("Table(): got another order, want that of the names")
	}
	for _, want := range table {
		family := families[want.Name]
		if family == nil {
			t.Errorf("%s: got nothing exported, want a %s", want.Name, want.Type)
			continue
		}
		delete(families, want.Name)
		if got := strings.ToLower(family.GetType().String()); got != want.Type || family.GetHelp() != want.Help {
			t.Errorf("%s: got a %s %q, want a %s %q", want.Name, got, family.GetHelp(), want.Type, want.Help)
		}
		var labels []string
		for _, pair := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, pair.GetName())
		}
		wanted := slices.Sorted(slices.Values(want.Labels))
		if slices.Sort(labels); !slices.Equal(labels, wanted) {
			t.Errorf("%s: got labels %v, want %v", want.Name, labels, wanted)
		}
		if total := strings.HasSuffix(want.Name, "_total"); total != (want.Type == "counter") {
			t.Errorf("%s: got a %s, want _total for counters alone", want.Name, want.Type)
		}
	}
	for name := range families {
		if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			t.Errorf("%s: got it exported, want it in Table()", name)
		}
	}
}

func TestCounts(t *testing.T) {
	m := newMetrics(t)
	if err := m.Read(state); err != nil {
		t.Fatalf("Read: got %v, want no error", err)
	}
	use(m)
	_, text := scrape(t, m)
	for _, want := range []string{
		`hush_requests_total{code="not_found",route="/secret/{key}",status="404"} 2`,
		`hush_request_duration_seconds_bucket{route="/secret/{key}",le="0.025"} 2`,
		`hush_request_duration_seconds_bucket{route="/secret/{key}",le="0.01"} 0`,
		`hush_refusals_total{limit="quota"} 1`,
		`hush_refusals_total{limit="connections"} 1`,
		`hush_store_commits_total{result="ok"} 1`,
		`hush_store_commits_total{result="full"} 1`,
		`hush_store_commit_updates_bucket{le="2"} 1`,
		`hush_store_commit_updates_sum 4`,
		`hush_share_sync_duration_seconds_count 1`,
		`hush_spent_log_last_sequence 11`,
		`hush_reseal_rows_left 12`,
		`hush_old_root_key_uses{kind="api_tokens"} 13`,
		`hush_spent_log_full 1`,
		`hush_spent_log_segments 12`,
		`hush_spent_log_bytes 13`,
		`hush_spent_log_sync_failures_total 1`,
		`hush_swept_rows_total{kind="secrets"} 5`,
		`hush_sweep_failures_total{kind="secrets"} 1`,
		`hush_mails_total{kind="address_changed",state="sent"} 1`,
		`hush_store_file_bytes 7`,
		`hush_disk_free_bytes 8`,
		`hush_disk_ballast_dropped 1`,
		`hush_certificate_expiry_timestamp_seconds 1.707776e+09`,
		`hush_certificate_lifetime_seconds 7.776e+06`,
		`hush_certificates_failing 2`,
		`hush_secrets 9`,
		`hush_secrets_created_total 10`,
		`hush_node_info{node="eu-1",number="3",release="1.2.3",self="true"} 1`,
		`hush_node_info{node="eu-2",number="4",release="other",self="false"} 1`,
		`hush_node_heartbeat_age_seconds{node="eu-1",number="3"} 2`,
		`hush_node_live{node="eu-1",number="5"} 0`,
		`hush_build_info{goversion="`,
		`hush_store_read_failures_total 0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("GET /metrics: got no %s", want)
		}
	}
	if strings.Contains(text, "canary") {
		t.Error("GET /metrics: got what a node or an error says, want nothing of it")
	}
}

// A value outside its closed set counts as "other", however many there are.
func TestLabelsAreClosed(t *testing.T) {
	m := newMetrics(t)
	for i := range 100 {
		canary := fmt.Sprint("canary", i)
		m.Responded("/secret/"+canary, "ok", 200, 0)
		m.Responded("/secret/{key}", canary, 200, 0)
		m.Responded("/secret/{key}", "ok", 2000+i, 0)
		m.Refused(canary)
		m.Swept(canary, 1, 0, nil)
		m.Mailed(canary, canary)
	}
	families, text := scrape(t, m)
	if strings.Contains(text, "canary") {
		t.Errorf("GET /metrics: got a made-up value:\n%s", text)
	}
	for name, most := range map[string]int{"hush_requests_total": 3, "hush_request_duration_seconds": 2, "hush_refusals_total": 3, "hush_mails_total": 2} {
		if got := len(families[name].GetMetric()); got > most {
			t.Errorf("%s: got %d series, want at most %d", name, got, most)
		}
	}
	for _, want := range []string{
		`hush_requests_total{code="ok",route="other",status="200"} 100`,
		`hush_requests_total{code="other",route="/secret/{key}",status="200"} 100`,
		`hush_requests_total{code="ok",route="/secret/{key}",status="other"} 100`,
		`hush_refusals_total{limit="other"} 100`,
		`hush_mails_total{kind="other",state="other"} 100`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("GET /metrics: got no %s", want)
		}
	}
}

// What is in the store is missing while the store cannot be read; everything else
// is there.
func TestWithoutTheStore(t *testing.T) {
	m := newMetrics(t)
	if err := m.Read(func(context.Context) metrics.State { return metrics.State{Ready: true} }); err != nil {
		t.Fatalf("Read: got %v, want no error", err)
	}
	families, text := scrape(t, m)
	if families["hush_secrets"] != nil || families["hush_node_info"] != nil || families["hush_disk_full"] != nil {
		t.Errorf("GET /metrics: got what is in the store, want it left out:\n%s", text)
	}
	if !strings.Contains(text, "hush_ready 1") || families["hush_store_read_failures_total"].GetMetric()[0].GetCounter().GetValue() != 1 {
		t.Errorf("GET /metrics: got %s, want hush_ready and a failure", text)
	}
}

// Without TLS nothing is said of certificates; a host without one has an expiry of
// 0.
func TestCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		state *metrics.Certificates
		want  string
	}{
		"without TLS":           {nil, ""},
		"without a certificate": {&metrics.Certificates{Failing: 1}, "0 0 1"},
		"ended":                 {&metrics.Certificates{Begins: time.Unix(10, 0), Ends: time.Unix(30, 0)}, "30 20 0"},
	} {
		m := newMetrics(t)
		if err := m.Read(func(context.Context) metrics.State { return metrics.State{Certificates: c.state} }); err != nil {
			t.Fatalf("Read: got %v, want no error", err)
		}
		families, _ := scrape(t, m)
		var got []string
		for _, name := range []string{"hush_certificate_expiry_timestamp_seconds", "hush_certificate_lifetime_seconds", "hush_certificates_failing"} {
			for _, series := range families[name].GetMetric() {
				got = append(got, fmt.Sprint(series.GetGauge().GetValue()))
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("GET /metrics %s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	m := newMetrics(t)
	count := func() {
		m.Responded("/secret/{key}", "ok", 200, time.Millisecond)
		m.Responded("/secret/{key}", "not_found", 404, time.Millisecond)
		m.Refused("quota")
	}
	count()
	if got := testing.AllocsPerRun(100, count); got != 0 {
		t.Errorf("counting: got %v allocations, want 0", got)
	}
}

func TestCountingAtTheSameTime(t *testing.T) {
	m := newMetrics(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				m.Responded("/secret/{key}", "ok", 200+i, 0)
				m.Responded("unknown", "none", 404, 0)
			}
		})
	}
	all.Wait()
	families, _ := scrape(t, m)
	total := 0.0
	for _, series := range families["hush_requests_total"].GetMetric() {
		total += series.GetCounter().GetValue()
	}
	if total != 1600 {
		t.Errorf("hush_requests_total: got %v in all, want 1600", total)
	}
}

func TestHandler(t *testing.T) {
	server := httptest.NewServer(newMetrics(t).Handler())
	defer server.Close()
	for path, want := range map[string]int{
		"/metrics": 200, "/debug/pprof/": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/heap": 200, "/debug/pprof/symbol": 200,
		"/debug/pprof/cmdline": 404, "/": 404, "/metrics/x": 404, "/debug/pprof/goroutine?debug=2": 403, "/debug/pprof/heap?debug=99": 403,
	} {
		res, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatalf("GET %s: got %v, want a response", path, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != want || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("GET %s: got %d, %q, want %d, no-store", path, res.StatusCode, res.Header.Get("Cache-Control"), want)
		}
	}
}

func BenchmarkResponded(b *testing.B) {
	m := newMetrics(b)
	b.ReportAllocs()
	for range b.N {
		m.Responded("/secret/{key}", "ok", 200, time.Millisecond)
	}
}
