package hush_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const architectureDoc = "docs/architecture.md"

// The table of the vault's packages in architecture.md has every package, with
// the buckets that it owns, and a package stands above those that it imports.
func TestArchitectureListsTheVault(t *testing.T) {
	rows := vaultRows(t)
	for i, row := range rows {
		if want := bucketsOf(t, row.name); !slices.Equal(row.buckets, want) {
			t.Errorf("%s, buckets of %s: got %q, want %q", architectureDoc, row.name, row.buckets, want)
		}
		for _, to := range directions[row.name] {
			above := func(r vaultRow) bool { return r.name == to }
			if slices.ContainsFunc(rows[:i], above) {
				t.Errorf("%s: got %s below %s, which it may import; want it above", architectureDoc, row.name, to)
			}
		}
	}
	for name := range directions {
		listed := func(r vaultRow) bool { return r.name == name }
		if (name == "vault" || strings.HasPrefix(name, "vault/")) && !strings.HasSuffix(name, "test") && !slices.ContainsFunc(rows, listed) {
			t.Errorf("%s: got no row for %s, want one", architectureDoc, name)
		}
	}
}

// vaultRow is a row of the table of the vault's packages.
type vaultRow struct {
	name    string
	buckets []string // sorted
}

func vaultRows(t *testing.T) (rows []vaultRow) {
	t.Helper()
	_, section, found := strings.Cut(readDocument(t, architectureDoc), "## The packages of the vault\n")
	if !found {
		t.Fatalf("%s: got no section about the packages of the vault, want one", architectureDoc)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		row := vaultRow{name: strings.Trim(cells[1], " `")}
		for _, span := range codeSpan.FindAllStringSubmatch(cells[3], -1) {
			row.buckets = append(row.buckets, span[1])
		}
		slices.Sort(row.buckets)
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: got no row about the packages of the vault, want some", architectureDoc)
	}
	return rows
}

// bucketsOf returns the buckets that a package's constants name, sorted.
func bucketsOf(t *testing.T, folder string) (buckets []string) {
	t.Helper()
	names, err := filepath.Glob(path.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 && strings.HasPrefix(strings.ToLower(spec.Names[0].Name), "bucket") {
				if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if bucket, err := strconv.Unquote(literal.Value); err == nil {
						buckets = append(buckets, bucket)
					}
				}
			}
			return true
		})
	}
	slices.Sort(buckets)
	return buckets
}
