package hush_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// A reader of a package's callers has to know its exported names, and a package that is
// smaller than a screen or two is one more door to open. Methods and fields belong to
// their type.
const (
	mostNames  = 60
	leastLines = 150
)

// wideByDesign are packages of which no caller needs all names at once.
var wideByDesign = append([]string{"client", "seal", "vault/audit"}, kits...)

// tooWide are the packages that still have more than mostNames, with what they have.
// Their numbers only fall.
var tooWide = map[string]int{"vault/receipt": 67, "vault/cluster": 63, "vault/exam": 61}

// smallFor says why a package is smaller than leastLines.
var smallFor = map[string]string{
	"cmd/hush":                     "nothing can import a main package, so what it does is in cmd/hush/program",
	"web":                          "its files are those of the client in the browser, which Go embeds from their own folder only",
	"openapi":                      "the same, of the description of the API",
	"crash":                        "every goroutine of every layer runs under it, so it stands below them all",
	"hosts":                        "settings, mail, domains and the chain must agree what is one host",
	"testtier":                     "every test may use it",
	"testtier/docs":                "tests of three packages check the documents, and each must find the same ones",
	"testtier/property":            "testtier itself must not import rapid, which defines flags",
	"vault/faulttest":              "it has tests alone",
	"server/booted":                "the same",
	"server/kills":                 "the same",
	"server/proxies":               "the same",
	"vault/upload":                 "it ends secrets and writes the audit trail, both of which stand above files",
	"vault/passphrase":             "secrets count tries and receipts show when they are used up, so the counters stand below both",
	"storage/bolt/bolttest":        "the tests of two packages use it, and neither may see the other's inside",
	"server/certificates/acmetest": "a kit must not reach a program, so it is no file of what it serves",
	"client/protocols":             "it imports both protocols, and each must be readable without the other",
	"tools/hush/postgres":          "a program of one page",
}

func TestPackagesHaveFewNames(t *testing.T) {
	readFolders(t)
	counts := map[string]int{}
	for name, p := range modulePackages(t) {
		if !strings.HasPrefix(name, "gen/") {
			counts[name] = len(exportedNames(t, name, p.GoFiles))
		}
	}
	for _, fault := range wideFaults(counts) {
		t.Error(fault)
	}
}

func TestPackagesAreWorthADoor(t *testing.T) {
	readFolders(t)
	lines := map[string]int{}
	for name, p := range modulePackages(t) {
		if !strings.HasPrefix(name, "gen/") {
			lines[name] = linesOf(t, name, slices.Concat(p.GoFiles, p.IgnoredGoFiles))
		}
	}
	for _, fault := range smallFaults(lines) {
		t.Error(fault)
	}
}

// The checks must be able to fail.
func TestWidePackagesAreNamed(t *testing.T) {
	counts := map[string]int{"handlers": 61, "client": 200, "mail": 60, "vault/cluster": 64, "vault/receipt": 60}
	got, want := wideFaults(counts), []string{
		"handlers exports 61 names, want at most 60",
		"tooWide names vault/exam, which is gone",
		"tooWide names vault/receipt, which has 60 names now: remove it",
		"vault/cluster exports 64 names, want at most 63",
	}
	if !slices.Equal(got, want) {
		t.Errorf("wideFaults: got %q, want %q", got, want)
	}
	if got := wideFaults(map[string]int{"vault/cluster": 61, "vault/receipt": 67, "vault/exam": 61}); !slices.Equal(got, []string{"tooWide allows vault/cluster 63 names, and it has 61: write that down"}) {
		t.Errorf("wideFaults: got %q, want the number that fell", got)
	}
	names := exportedNames(t, "crash", []string{"crash.go"})
	if want := []string{"Frames", "Go", "Guard", "Type"}; !slices.Equal(names, want) {
		t.Errorf("exportedNames(crash): got %q, want %q", names, want)
	}
}

func TestSmallPackagesAreNamed(t *testing.T) {
	lines := map[string]int{"handlers": 149, "vault": 150, "hosts": 20, "crash": 151}
	for name := range smallFor {
		if lines[name] == 0 {
			lines[name] = 1
		}
	}
	delete(lines, "web")
	got, want := smallFaults(lines), []string{
		"handlers has 149 lines, want 150 or a reason in smallFor",
		"smallFor names crash, which has 151 lines: it needs no reason",
		"smallFor names web, which is gone",
	}
	if !slices.Equal(got, want) {
		t.Errorf("smallFaults: got %q, want %q", got, want)
	}
}

// wideFaults returns what is wrong with the numbers of exported names.
func wideFaults(counts map[string]int) (faults []string) {
	for name, got := range counts {
		limit, listed := tooWide[name]
		switch {
		case slices.Contains(wideByDesign, name):
		case !listed && got > mostNames:
			faults = append(faults, fmt.Sprintf("%s exports %d names, want at most %d", name, got, mostNames))
		case listed && got > limit:
			faults = append(faults, fmt.Sprintf("%s exports %d names, want at most %d", name, got, limit))
		case listed && got <= mostNames:
			faults = append(faults, fmt.Sprintf("tooWide names %s, which has %d names now: remove it", name, got))
		case listed && got < limit:
			faults = append(faults, fmt.Sprintf("tooWide allows %s %d names, and it has %d: write that down", name, limit, got))
		}
	}
	for name := range tooWide {
		if _, found := counts[name]; !found {
			faults = append(faults, fmt.Sprintf("tooWide names %s, which is gone", name))
		}
	}
	slices.Sort(faults)
	return faults
}

// smallFaults returns what is wrong with the numbers of lines.
func smallFaults(lines map[string]int) (faults []string) {
	for name, got := range lines {
		if _, excused := smallFor[name]; got < leastLines && !excused {
			faults = append(faults, fmt.Sprintf("%s has %d lines, want %d or a reason in smallFor", name, got, leastLines))
		}
	}
	for name := range smallFor {
		switch got, found := lines[name]; {
		case !found:
			faults = append(faults, fmt.Sprintf("smallFor names %s, which is gone", name))
		case got >= leastLines:
			faults = append(faults, fmt.Sprintf("smallFor names %s, which has %d lines: it needs no reason", name, got))
		}
	}
	slices.Sort(faults)
	return faults
}

// exportedNames returns what a package exports besides methods and fields, sorted.
func exportedNames(t *testing.T, name string, files []string) []string {
	t.Helper()
	found := map[string]bool{}
	note := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				found[id.Name] = true
			}
		}
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), path.Join(name, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			switch d := declared.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					note(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						note(s.Name)
					case *ast.ValueSpec:
						note(s.Names...)
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// linesOf returns how many lines the files of a package have.
func linesOf(t *testing.T, name string, files []string) (lines int) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(path.Join(name, file))
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	return lines
}
