package hush_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const architectureDoc = "docs/architecture.md"

// Documents name files, declarations, tests and each other. A rename that
// forgets a document fails here.
func TestDocumentsNameWhatExists(t *testing.T) {
	readFolders(t)
	documents := readDocuments(t)
	for name, text := range documents {
		for _, missing := range missingPaths(t, text) {
			t.Errorf("%s names %s: got no such file, want one", name, missing)
		}
		for _, missing := range missingDeclarations(t, text) {
			t.Errorf("%s names %s: got no such declaration, want one", name, missing)
		}
		for _, missing := range missingLinks(name, documents) {
			t.Errorf("%s links to %s: got no such target, want one", name, missing)
		}
	}
	tests := testFolders(t)
	for name, text := range documents {
		for _, missing := range missingTests(text, tests) {
			t.Errorf("%s names %s: got no such test, want one", name, missing)
		}
	}
}

// The checks have to bite.
func TestMissingNamesAreFound(t *testing.T) {
	readFolders(t)
	text := "`vault/nothing.go`, `docs_test.go`, `nothing_test.go`, `docs/*.none`, `vault/nothing`, `alt/name`, `POST /api`," +
		" `docs_test.go`, `testFolders`, `noSuchName`; `TestNothingOfTheKind`, `TestMissing…`, `TestMissing`; `vault`: `TestDocuments…` [a](#none) [b](docs/none.md) [c](#some-place)\n## Some `place`!\n"
	documents := map[string]string{"README.md": text}
	if got, want := missingPaths(t, text), []string{"vault/nothing.go", "nothing_test.go", "docs/*.none", "vault/nothing"}; !slices.Equal(got, want) {
		t.Errorf("missingPaths: got %q, want %q", got, want)
	}
	if got, want := missingDeclarations(t, text), []string{"noSuchName in docs_test.go"}; !slices.Equal(got, want) {
		t.Errorf("missingDeclarations: got %q, want %q", got, want)
	}
	if got, want := missingTests(text, testFolders(t)), []string{"TestNothingOfTheKind", "TestMissing", "TestDocuments… in vault"}; !slices.Equal(got, want) {
		t.Errorf("missingTests: got %q, want %q", got, want)
	}
	if got, want := missingLinks("README.md", documents), []string{"#none", "docs/none.md"}; !slices.Equal(got, want) {
		t.Errorf("missingLinks: got %q, want %q", got, want)
	}
}

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

// readDocuments returns the text of each document by its path.
func readDocuments(t *testing.T) map[string]string {
	t.Helper()
	documents := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("Glob(%s): got %q and %v, want documents", pattern, names, err)
		}
		for _, name := range names {
			documents[name] = readDocument(t, name)
		}
	}
	return documents
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	pathSpan    = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)*$`)
	declaration = regexp.MustCompile("`([\\w/]+\\.go)`((?:,\\s+`\\w+`)+)")
	testSpan    = regexp.MustCompile(`^Test\w*…?$`)
	testsOf     = regexp.MustCompile("`([\\w/-]+)`:((?:,?\\s+`Test\\w*…?`)+)")
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// missingPaths returns the files and folders that text names and that are not
// there. A path is what has the extension of a Go file, or begins with a folder
// of the module.
func missingPaths(t *testing.T, text string) (missing []string) {
	t.Helper()
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		name := span[1]
		first, _, below := strings.Cut(name, "/")
		if !pathSpan.MatchString(name) || strings.HasPrefix(name, ".") || !below && path.Ext(name) != ".go" {
			continue
		}
		if _, err := os.Stat(first); below && err != nil {
			continue
		}
		if found, err := filepath.Glob(name); err != nil || len(found) == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

// missingDeclarations returns the names that text has behind a Go file, as in
// `vault/vault.go`, `Open`, and that the file does not declare.
func missingDeclarations(t *testing.T, text string) (missing []string) {
	t.Helper()
	for _, match := range declaration.FindAllStringSubmatch(text, -1) {
		file, err := parser.ParseFile(token.NewFileSet(), match[1], nil, parser.SkipObjectResolution)
		if err != nil {
			continue // missingPaths names it
		}
		declared := declaredIn(file)
		for _, span := range codeSpan.FindAllStringSubmatch(match[2], -1) {
			if !slices.Contains(declared, span[1]) {
				missing = append(missing, span[1]+" in "+match[1])
			}
		}
	}
	return missing
}

// declaredIn returns the names of a file's functions, methods, types, constants
// and variables.
func declaredIn(file *ast.File) (names []string) {
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// testFolders returns the folders of the module's test functions by their names.
func testFolders(t *testing.T) map[string][]string {
	t.Helper()
	folders := map[string][]string{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		for _, match := range function.FindAllStringSubmatch(readDocument(t, name), -1) {
			folders[match[1]] = append(folders[match[1]], path.Dir(filepath.ToSlash(name)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// missingTests returns the tests that text names and that are not there, or not
// in the folder that it names before them, as in (`vault`: `TestOne`, `TestTwo…`).
// A name that ends in … stands for each test that begins with it.
func missingTests(text string, folders map[string][]string) (missing []string) {
	exists := func(span, folder string) bool {
		prefix, open := strings.CutSuffix(span, "…")
		for name, in := range folders {
			if (name == prefix || open && strings.HasPrefix(name, prefix)) && (folder == "" || slices.Contains(in, folder)) {
				return true
			}
		}
		return false
	}
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		if testSpan.MatchString(span[1]) && !exists(span[1], "") {
			missing = append(missing, span[1])
		}
	}
	for _, match := range testsOf.FindAllStringSubmatch(text, -1) {
		for _, span := range codeSpan.FindAllStringSubmatch(match[2], -1) {
			if exists(span[1], "") && !exists(span[1], match[1]) {
				missing = append(missing, span[1]+" in "+match[1])
			}
		}
	}
	return missing
}

// missingLinks returns the files and headings that a document links to and that
// are not there.
func missingLinks(from string, documents map[string]string) (missing []string) {
	for _, match := range link.FindAllStringSubmatch(documents[from], -1) {
		target, anchor, _ := strings.Cut(match[1], "#")
		if strings.Contains(target, "://") {
			continue
		}
		file := from
		if target != "" {
			file = path.Join(path.Dir(from), target)
		}
		if _, err := os.Stat(file); err != nil {
			missing = append(missing, match[1])
			continue
		}
		if anchor != "" && !slices.Contains(anchors(documents[file]), anchor) {
			missing = append(missing, match[1])
		}
	}
	return missing
}

// anchors returns the names by which links reach the headings of a document.
func anchors(text string) (names []string) {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			default:
				return -1
			}
		}, match[1]))
	}
	return names
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
