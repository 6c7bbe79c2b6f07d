package hush_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hush/server/metrics"
)

const (
	dashboardPath = "deploy/grafana/hush.json"
	rulesPath     = "deploy/prometheus/hush.rules.yml"
	rulesTestPath = "deploy/prometheus/hush.rules.test.yml"
)

// metricName matches what can be a metric of the service.
var metricName = regexp.MustCompile(`\bhush_[a-z_]+\b`)

// foreignNames are what the dashboard and the rules use of the Go runtime, the
// process, and Prometheus itself.
var foreignNames = []string{
	"go_goroutines", "go_memstats_heap_inuse_bytes", "process_cpu_seconds_total", "process_open_fds",
	"process_resident_memory_bytes", "process_start_time_seconds",
}

// The dashboard and the alert rules name metrics and labels that are exported,
// and every metric of the service is on the dashboard.
func TestDashboardAndRulesNameMetrics(t *testing.T) {
	shown := map[string]bool{}
	for path, expressions := range map[string][]string{
		dashboardPath: dashboardQueries(t), rulesPath: ruleExpressions(t),
	} {
		if len(expressions) < 10 {
			t.Fatalf("%s: got %d expressions, want more", path, len(expressions))
		}
		for _, expression := range expressions {
			for _, wrong := range unknownNames(expression) {
				t.Errorf("%s: got %s in %q, want an exported metric", path, wrong, expression)
			}
			for _, name := range metricName.FindAllString(expression, -1) {
				if m, ok := metricOf(name); ok && path == dashboardPath {
					shown[m.Name] = true
				}
			}
		}
	}
	for _, m := range metrics.Table() {
		if !shown[m.Name] {
			t.Errorf("%s: got no panel with %s, want one", dashboardPath, m.Name)
		}
	}
}

// What is of a whole store is the same at each of its nodes: adding it up would
// count it once for each.
func TestSharedMetricsAreNotAddedUp(t *testing.T) {
	for path, expressions := range map[string][]string{
		dashboardPath: dashboardQueries(t), rulesPath: ruleExpressions(t),
	} {
		for _, expression := range expressions {
			for _, name := range addedUp(expression) {
				t.Errorf("%s: got %s added up over nodes in %q, want max", path, name, expression)
			}
		}
	}
	for expression, want := range map[string]string{
		`max(sum(hush_secrets))`:                                            "hush_secrets",
		`max(hush_accounts) + hush_secrets`:                                 "hush_secrets",
		`sum(hush_secrets)`:                                                 "hush_secrets",
		`avg by (job) (rate(hush_secrets_created_total[5m]))`:               "hush_secrets_created_total",
		`hush_secrets`:                                                      "hush_secrets",
		`max(hush_secrets{job="hush"})`:                                     "",
		`max(rate(hush_secrets_created_total[5m]))`:                         "",
		`max by (node) (hush_node_live) + sum(rate(hush_hashes_total[5m]))`: "",
	} {
		if got := strings.Join(addedUp(expression), " "); got != want {
			t.Errorf("addedUp(%s): got %q, want %q", expression, got, want)
		}
	}
}

var onceOfAll = regexp.MustCompile(`\b(?:max|min|count|group)\s*(?:by\s*\([^)]*\)\s*)?\((?:[^()]|\([^()]*\))*(?:(?:rate|increase)\()?$`)

// addedUp returns the metrics of a whole store that an expression does not reduce
// to one of the values that nodes export.
func addedUp(expression string) (names []string) {
	for _, at := range metricName.FindAllStringIndex(expression, -1) {
		m, ok := metricOf(expression[at[0]:at[1]])
		if ok && m.Shared() && !onceOfAll.MatchString(expression[:at[0]]) {
			names = append(names, m.Name)
		}
	}
	return names
}

func TestUnknownNamesAreFound(t *testing.T) {
	for expression, want := range map[string]string{
		`rate(hush_requests_total{status="500"}[5m])`: "",
		`hush_requests`:                                "hush_requests",
		`hush_requests_total{path="/"}`:                "path",
		`sum by (le) (hush_request_duration_seconds)`:  "hush_request_duration_seconds",
		`sum by (rout) (hush_requests_total)`:          "rout",
		`process_open_fds + go_memstats_nothing_bytes`: "go_memstats_nothing_bytes",
	} {
		if got := strings.Join(unknownNames(expression), " "); got != want {
			t.Errorf("unknownNames(%s): got %q, want %q", expression, got, want)
		}
	}
}

var (
	foreignName = regexp.MustCompile(`\b(?:go|process|promhttp)_[a-z_]+\b`)
	selector    = regexp.MustCompile(`\b(\w+)\s*(?:=~|!~|!=|=)\s*"`)
	grouping    = regexp.MustCompile(`\b(?:by|on|without|group_left)\s*\(([^)]*)\)`)
)

// unknownNames returns the names of metrics and labels in an expression that
// nothing exports.
func unknownNames(expression string) (unknown []string) {
	labels := []string{"instance", "job", "le"}
	for _, name := range metricName.FindAllString(expression, -1) {
		m, ok := metricOf(name)
		if !ok {
			unknown = append(unknown, name)
		}
		labels = append(labels, m.Labels...)
	}
	for _, name := range foreignName.FindAllString(expression, -1) {
		if !slices.Contains(foreignNames, name) {
			unknown = append(unknown, name)
		}
	}
	var used []string
	for _, match := range selector.FindAllStringSubmatch(expression, -1) {
		used = append(used, match[1])
	}
	for _, match := range grouping.FindAllStringSubmatch(expression, -1) {
		used = append(used, strings.FieldsFunc(match[1], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	for _, name := range used {
		if !slices.Contains(labels, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// metricOf returns the metric that a name in an expression is of. A histogram is
// used by its parts alone.
func metricOf(name string) (metrics.Metric, bool) {
	for _, m := range metrics.Table() {
		base := name
		if m.Type == "histogram" {
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, part)
			}
		}
		if base == m.Name && (m.Type != "histogram" || base != name) {
			return m, true
		}
	}
	return metrics.Metric{}, false
}

// dashboardQueries returns the expressions of all panels.
func dashboardQueries(t *testing.T) (all []string) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			ID      int
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(readText(t, dashboardPath)), &dashboard); err != nil {
		t.Fatalf("%s: got %v, want JSON", dashboardPath, err)
	}
	ids := map[int]bool{}
	for _, panel := range dashboard.Panels {
		if ids[panel.ID] || panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("%s: got panel %d, %q, twice or without a query", dashboardPath, panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}
	return all
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the dashboard and the rules use of Go and of the process is exported.
func TestForeignNamesAreExported(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs linux: other systems tell less of a process")
	}
	m, err := metrics.New(metrics.Options{})
	if err != nil {
		t.Fatalf("New: got %v, want no error", err)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	for _, name := range foreignNames {
		if !strings.Contains(w.Body.String(), "\n"+name+" ") {
			t.Errorf("GET /metrics: got no %s, want it", name)
		}
	}
}

// docs/operations/metrics.md lists what is exported, and explains every alert.
func TestMetricsAreDocumented(t *testing.T) {
	const name = "docs/operations/metrics.md"
	text := readText(t, name)
	row := regexp.MustCompile("(?m)^\\| `(hush_[a-z_]+)` \\| (\\w+) \\| ([^|]*) \\| ([^|]+) \\|$")
	documented := map[string]metrics.Metric{}
	for _, match := range row.FindAllStringSubmatch(text, -1) {
		var labels []string
		for label := range strings.FieldsSeq(match[3]) {
			labels = append(labels, strings.Trim(label, "`,"))
		}
		documented[match[1]] = metrics.Metric{Name: match[1], Type: match[2], Labels: labels, Help: match[4]}
	}
	for _, want := range metrics.Table() {
		got := documented[want.Name]
		if got.Type != want.Type || !slices.Equal(got.Labels, want.Labels) || got.Help != markdown(want.Help) {
			t.Errorf("%s on %s: got %q, want %q", name, want.Name, got, want)
		}
		delete(documented, want.Name)
	}
	for metric := range documented {
		t.Errorf("%s: got %s, which is not exported", name, metric)
	}
	for _, group := range readRules(t).Groups {
		for _, rule := range group.Rules {
			if !strings.Contains(text, "`"+rule.Alert+"`") {
				t.Errorf("%s: got nothing about the alert %s, want what to do", name, rule.Alert)
			}
		}
	}
}

// markdown returns help as a document has it, with flags and files as code.
func markdown(help string) string {
	return regexp.MustCompile(`--[a-z-]+|/readyz|hush\.db`).ReplaceAllString(help, "`$0`")
}
