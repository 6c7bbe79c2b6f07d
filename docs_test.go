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
	"strings"
	"testing"
	"unicode"

	"hush/testtier/docs"
)

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

// The checks must be able to fail.
func TestMissingNamesAreFound(t *testing.T) {
	readFolders(t)
	text := "`vault/nothing.go`, `docs_test.go`, `nothing_test.go`, `docs/*.none`, `vault/nothing`, `alt/name`, `Makefile/name`, `POST /api`," +
		" `docs_test.go`, `testFolders`, `noSuchName`; `TestNothingOfTheKind`, `TestMissing…`, `TestMissing`; `vault`: `TestDocuments…` [a](#none) [b](docs/none.md) [c](#some-place) [d](#old)\n## Some `place`!\n<a id=\"old\"></a>"
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

// The operator looks up what the log says, so messages.md quotes it exactly.
func TestOperationsQuotesMessages(t *testing.T) {
	readFolders(t)
	const name = "docs/operations/messages.md"
	section, _, found := strings.Cut(readDocument(t, name), "\n## Requests that fail\n")
	if !found {
		t.Fatalf("%s: got no table of messages, want one", name)
	}
	var code strings.Builder
	walkFiles(t, func(name string) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			code.WriteString(readDocument(t, name))
		}
	})
	quotes := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) == 1 {
			continue // not a row of the table
		}
		if len(cells) != 5 {
			t.Errorf("%s: got %d cells in %q, want 3", name, len(cells)-2, line)
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
			if !strings.Contains(code.String(), span[1]) {
				t.Errorf("%s quotes %q: got no such message in the code, want one", name, span[1])
			}
			quotes++
		}
	}
	if quotes < 10 {
		t.Errorf("%s: got %d messages quoted, want 10 or more, or this test finds nothing", name, quotes)
	}
}

// readDocuments returns the text of each document by its path.
func readDocuments(t *testing.T) map[string]string {
	t.Helper()
	names, err := docs.Names(os.DirFS("."))
	if err != nil || len(names) < 30 {
		t.Fatalf("docs.Names: got %q and %v, want all documents", names, err)
	}
	texts := map[string]string{}
	for _, name := range names {
		texts[name] = readDocument(t, name)
	}
	return texts
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
	namedAnchor = regexp.MustCompile(`<a id="([\w-]+)"></a>`)
)

// missingPaths returns the files and folders that text names and that do not
// exist. A path has the extension of a Go file, or begins with a folder of the
// module.
func missingPaths(t *testing.T, text string) (missing []string) {
	t.Helper()
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		name := span[1]
		first, _, below := strings.Cut(name, "/")
		if !pathSpan.MatchString(name) || strings.HasPrefix(name, ".") || !below && path.Ext(name) != ".go" {
			continue
		}
		// A file has nothing below it: the program that the README builds is hush, as the module is.
		if folder, err := os.Stat(first); below && (err != nil || !folder.IsDir()) {
			continue
		}
		if found, err := filepath.Glob(name); err != nil || len(found) == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

// missingDeclarations returns the names that text has after a Go file, as in
// `vault/vault.go`, `Open`, and that the file does not declare.
func missingDeclarations(t *testing.T, text string) (missing []string) {
	t.Helper()
	for _, match := range declaration.FindAllStringSubmatch(text, -1) {
		file, err := parser.ParseFile(token.NewFileSet(), match[1], nil, parser.SkipObjectResolution)
		if err != nil {
			continue // missingPaths reports it
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

// testFolders returns the folders of the module's test functions by name.
func testFolders(t *testing.T) map[string][]string {
	t.Helper()
	folders := map[string][]string{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	walkFiles(t, func(name string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, match := range function.FindAllStringSubmatch(readDocument(t, name), -1) {
			folders[match[1]] = append(folders[match[1]], path.Dir(filepath.ToSlash(name)))
		}
	})
	return folders
}

// walkFiles calls visit for each file of the module.
func walkFiles(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !entry.IsDir():
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// missingTests returns the tests that text names and that do not exist, or not
// in the folder that it names before them, as in (`vault`: `TestOne`,
// `TestTwo…`). A name that ends in … means each test that begins with it.
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
// do not exist.
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

// anchors returns the link names of a document's headings, and those that it gives to
// other places.
func anchors(text string) (names []string) {
	for _, match := range namedAnchor.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
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
