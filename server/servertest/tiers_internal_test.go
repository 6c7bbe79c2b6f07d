package servertest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each name is that of a test: else one that is renamed would silently leave a run.
func TestNamesOfStarts(t *testing.T) {
	t.Parallel()
	var files []string
	for _, folder := range []string{"..", "../../cmd", "../../cmd/hush"} {
		found, err := filepath.Glob(filepath.Join(folder, "*", "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	known := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range testFunction.FindAllSubmatch(source, -1) {
			known[string(found[1])] = true
		}
	}
	for _, name := range slices.Concat(quickStarts(), postgresStarts()) {
		name, script, _ := strings.Cut(name, "/")
		if !known[name] {
			t.Errorf("tests: got no %s, want the one that a list of starts names", name)
		}
		if script == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("../../cmd/hush/testdata/script", script+".txt")); err != nil {
			t.Errorf("scripts: got %v, want the one that a list of starts names", err)
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
