package hush_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"hush/testtier"
)

type ruleFile struct {
	Groups []struct {
		Rules []struct {
			Alert string
			Expr  string
		}
	}
}

func readRules(t *testing.T) (f ruleFile) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readText(t, rulesPath)), &f); err != nil {
		t.Fatalf("%s: got %v, want YAML", rulesPath, err)
	}
	return f
}

func ruleExpressions(t *testing.T) (all []string) {
	t.Helper()
	for _, group := range readRules(t).Groups {
		for _, rule := range group.Rules {
			all = append(all, rule.Expr)
		}
	}
	return all
}

// promtool reads the rules, and the queries of the dashboard as if they were
// rules.
func TestPromtoolReadsRules(t *testing.T) {
	testtier.Check(t, "starts promtool")
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("needs promtool: not installed")
	}
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, query := range dashboardQueries(t) {
		rules = append(rules, rule{"dashboard:query", strings.ReplaceAll(query, "$instance", ".*")})
	}
	queries, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(path, queries, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "rules", "--lint=none", rulesPath}, {"check", "rules", "--lint=none", path},
		{"test", "rules", rulesTestPath},
	} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: got %v, want success\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// Each alert has a test in which it fires, on metrics that are exported.
func TestAlertsAreTested(t *testing.T) {
	var file struct {
		Tests []struct {
			InputSeries []struct{ Series string } `yaml:"input_series"`
			Alerts      []struct {
				Name     string `yaml:"alertname"`
				Expected []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	if err := yaml.Unmarshal([]byte(readText(t, rulesTestPath)), &file); err != nil {
		t.Fatalf("%s: got %v, want YAML", rulesTestPath, err)
	}
	fires := map[string]bool{}
	for _, test := range file.Tests {
		for _, input := range test.InputSeries {
			for _, wrong := range unknownNames(input.Series) {
				t.Errorf("%s: got %s in %q, want an exported metric", rulesTestPath, wrong, input.Series)
			}
		}
		for _, alert := range test.Alerts {
			fires[alert.Name] = fires[alert.Name] || len(alert.Expected) > 0
		}
	}
	for _, group := range readRules(t).Groups {
		for _, rule := range group.Rules {
			if !fires[rule.Alert] {
				t.Errorf("%s: got no test in which %s fires, want one", rulesTestPath, rule.Alert)
			}
		}
	}
}
