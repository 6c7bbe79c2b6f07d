package hush_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const lintConfig = ".golangci.yml"

// A pattern in the lint configuration that matches no file keeps nothing: a rule forbids
// nothing any more, or an exclusion waits to hide something else. A folder that is renamed
// fails here.
func TestLintPatternsMatchFiles(t *testing.T) {
	readFolders(t)
	patterns := lintPatterns(t, readDocument(t, lintConfig))
	if len(patterns) < 10 {
		t.Errorf("lintPatterns(%s): got %q, want 10 or more, or this test finds nothing", lintConfig, patterns)
	}
	for _, idle := range idleLintPatterns(t, patterns, moduleFiles(t)) {
		t.Errorf("%s: got no file that %s matches, want one", lintConfig, idle)
	}
}

// The check must be able to fail.
func TestIdleLintPatternsAreFound(t *testing.T) {
	patterns := lintPatterns(t, `
linters:
  settings:
    depguard:
      rules:
        wire:
          files: ["$all", "!$test", "**/seal/*.go", "!**/seal/none/*.go", "**/eal/*.go", "**/vault/*.go"]
  exclusions:
    paths: [^gen/, ^generated/]
    rules:
      - path: ^seal/
      - path-except: ^key\.go$
`)
	want := []string{`**/seal/*.go`, `**/seal/none/*.go`, `**/eal/*.go`, `**/vault/*.go`, `^gen/`, `^generated/`, `^seal/`, `^key\.go$`}
	if !slices.Equal(patterns, want) {
		t.Errorf("lintPatterns: got %q, want %q", patterns, want)
	}
	got := idleLintPatterns(t, patterns, []string{"seal/key.go", "vault/place/doc.go", "gen/hush/v1/policy.pb.go"})
	if want := []string{`**/seal/none/*.go`, `**/eal/*.go`, `**/vault/*.go`, `^generated/`, `^key\.go$`}; !slices.Equal(got, want) {
		t.Errorf("idleLintPatterns: got %q, want %q", got, want)
	}
}

// lintPatterns returns the patterns of files in a lint configuration, in its order:
// without the names that depguard has for sets of files, and without what negates them.
func lintPatterns(t *testing.T, text string) (patterns []string) {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%s: got %v, want YAML", lintConfig, err)
	}
	var collect func(node *yaml.Node, of bool)
	collect = func(node *yaml.Node, of bool) {
		if pattern := strings.TrimPrefix(node.Value, "!"); of && node.Kind == yaml.ScalarNode && !strings.HasPrefix(pattern, "$") {
			patterns = append(patterns, pattern)
		}
		for i, child := range node.Content {
			if node.Kind == yaml.MappingNode && i%2 == 0 {
				continue // a key; its value comes next
			}
			named := node.Kind == yaml.MappingNode && slices.Contains([]string{"files", "path", "path-except", "paths", "paths-except"}, node.Content[i-1].Value)
			collect(child, named || of && node.Kind == yaml.SequenceNode)
		}
	}
	collect(&document, false)
	return patterns
}

// idleLintPatterns returns the patterns that match none of the files. Those of depguard
// are globs of absolute paths, all others regular expressions of paths in the module.
func idleLintPatterns(t *testing.T, patterns, files []string) (idle []string) {
	t.Helper()
	for _, pattern := range patterns {
		expression, prefix := pattern, ""
		if strings.HasPrefix(pattern, "**/") {
			expression, prefix = globExpression(pattern), "/hush/"
		}
		re, err := regexp.Compile(expression)
		if err != nil {
			t.Fatalf("%s, %s: got %v, want a regular expression", lintConfig, pattern, err)
		}
		if !slices.ContainsFunc(files, func(name string) bool { return re.MatchString(prefix + name) }) {
			idle = append(idle, pattern)
		}
	}
	return idle
}

// globExpression returns the regular expression of a glob: ** crosses folders, * does
// not.
func globExpression(glob string) string {
	expression := strings.ReplaceAll(regexp.QuoteMeta(glob), `\*\*`, `.*`)
	return `^` + strings.ReplaceAll(expression, `\*`, `[^/]*`) + `$`
}

// The go command takes the system that a file is for from the end of its name, as in
// x_linux.go, x_linux_amd64.go and x_linux_test.go. One that has more behind the system is
// compiled for all.
func TestSystemsEndFileNames(t *testing.T) {
	readFolders(t)
	for _, name := range systemsInside(moduleFiles(t)) {
		t.Errorf("%s: got more behind the name of a system, want it at the end, before _test", name)
	}
	got := systemsInside([]string{"x/a_linux_internal_test.go", "x/a_internal_linux_test.go", "x/a_linux.go", "x/a_linux_arm64_test.go", "x_linux_y/a.go", "x/linux_a.go", "x/a_windows_kit.go"})
	if want := []string{"x/a_linux_internal_test.go", "x/a_windows_kit.go"}; !slices.Equal(got, want) {
		t.Errorf("systemsInside: got %q, want %q", got, want)
	}
}

var systemInside = regexp.MustCompile(`_(?:darwin|freebsd|linux|netbsd|openbsd|unix|windows)_([^/]*)$`)

// systemsInside returns the files that have the name of a system, and more behind it than a
// processor and _test.
func systemsInside(files []string) (found []string) {
	for _, name := range files {
		parts := systemInside.FindStringSubmatch(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"))
		if parts != nil && !slices.Contains([]string{"amd64", "arm64"}, parts[1]) {
			found = append(found, name)
		}
	}
	return found
}
