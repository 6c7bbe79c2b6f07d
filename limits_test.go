package hush_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits on a package, without its tests, and on a type. A package or type
// that outgrows one has more than one concept in it: part it by its nouns.
const (
	maxFiles   = 30
	maxLines   = 4500
	maxMethods = 25
)

func TestPackagesStaySmall(t *testing.T) {
	sizes := map[string]*size{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || name == "gen" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(name))
		if sizes[folder] == nil {
			sizes[folder] = &size{}
		}
		return sizes[folder].add(source)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sizes) == 0 {
		t.Fatal("the module has no package")
	}
	for _, folder := range slices.Sorted(maps.Keys(sizes)) {
		for _, fault := range sizes[folder].faults() {
			t.Errorf("%s: %s", folder, fault)
		}
	}
}

// The check has to bite: what is one over a limit is named, what is at it is
// not.
func TestPackagesOverALimitAreNamed(t *testing.T) {
	methods := func(n int) string {
		text := "package p\n"
		for i := range n {
			text += fmt.Sprintf("func (s *store[K]) M%d() {}\n", i)
		}
		return text
	}
	lines := func(n int) string { return "package p\n" + strings.Repeat("\n", n-1) }
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"at the limits":                    {append(slices.Repeat([]string{"package p\n"}, maxFiles-2), methods(maxMethods), lines(maxLines-maxFiles-maxMethods+1)), nil},
		"files":                            {slices.Repeat([]string{"package p\n"}, maxFiles+1), []string{"got 31 files without tests, want at most 30"}},
		"lines":                            {[]string{lines(maxLines + 1)}, []string{"got 4501 lines without tests, want at most 4500"}},
		"methods":                          {[]string{methods(maxMethods + 1)}, []string{"type store: got 26 methods, want at most 25"}},
		"methods in files for two systems": {[]string{methods(maxMethods), methods(maxMethods)}, nil},
	} {
		var s size
		for _, source := range c.files {
			if err := s.add([]byte(source)); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.faults(); !slices.Equal(got, c.want) {
			t.Errorf("faults of %s: got %q, want %q", name, got, c.want)
		}
	}
}

// size is how large a package is.
type size struct {
	files, lines int
	methods      map[string]map[string]bool // the names of each type's
}

// add adds a file to a package.
func (s *size) add(source []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.files++
	s.lines += bytes.Count(source, []byte("\n"))
	for _, declared := range file.Decls {
		f, ok := declared.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		if s.methods == nil {
			s.methods = map[string]map[string]bool{}
		}
		name := receiver(f.Recv.List[0].Type)
		if s.methods[name] == nil {
			s.methods[name] = map[string]bool{}
		}
		s.methods[name][f.Name.Name] = true
	}
	return nil
}

// faults names the limits that a package exceeds.
func (s *size) faults() (found []string) {
	if s.files > maxFiles {
		found = append(found, fmt.Sprintf("got %d files without tests, want at most %d", s.files, maxFiles))
	}
	if s.lines > maxLines {
		found = append(found, fmt.Sprintf("got %d lines without tests, want at most %d", s.lines, maxLines))
	}
	for _, name := range slices.Sorted(maps.Keys(s.methods)) {
		if n := len(s.methods[name]); n > maxMethods {
			found = append(found, fmt.Sprintf("type %s: got %d methods, want at most %d", name, n, maxMethods))
		}
	}
	return found
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	default:
		return ""
	}
}
