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

// The table of the vault's packages in architecture.md has every package, in the order
// in which they may import each other, with the buckets that each owns.
func TestArchitectureListsTheVault(t *testing.T) {
	var names []string
	for _, row := range vaultRows(t) {
		names = append(names, row.name)
		if want := bucketsOf(t, row.name); !slices.Equal(row.buckets, want) {
			t.Errorf("%s, buckets of %s: got %q, want %q", architectureDoc, row.name, row.buckets, want)
		}
	}
	if !slices.Equal(names, vaultPackages) {
		t.Errorf("%s, packages of the vault: got %q, want %q", architectureDoc, names, vaultPackages)
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
