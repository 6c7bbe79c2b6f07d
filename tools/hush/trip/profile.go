package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is what the import paths of Hush begin with, its tools' as well.
const module = "hush/"

// function is a function or method of Hush. What a function literal enters counts
// for the declaration around it.
type function struct {
	file string // below the root of the source tree
	name string // with the type of its receiver
}

// functions is a set of functions.
type functions map[function]bool

func (f functions) figures(call string) figures {
	files, packages := map[string]bool{}, map[string]bool{}
	for each := range f {
		files[each.file], packages[path.Dir(each.file)] = true, true
	}
	return figures{call: call, functions: len(f), files: len(files), packages: len(packages)}
}

// names returns the functions with their files, sorted.
func (f functions) names() (names []string) {
	for each := range f {
		names = append(names, each.file+" "+each.name)
	}
	slices.Sort(names)
	return names
}

// difference returns the names of the functions that are in one set alone.
func (f functions) difference(other functions) []string {
	single := functions{}
	for each := range f {
		if !other[each] {
			single[each] = true
		}
	}
	for each := range other {
		if !f[each] {
			single[each] = true
		}
	}
	return single.names()
}

// readProfile returns the functions that a profile of go tool covdata says were entered.
// Their files are below the folder root.
func readProfile(root, profile string) (functions, error) {
	entered := functions{}
	declared := map[string][]declaration{}
	lines := slices.Collect(strings.Lines(profile))
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "mode: ") {
		return nil, fmt.Errorf("the profile begins with %q, want its mode", slices.Concat(lines, []string{""})[0])
	}
	for _, line := range lines[1:] {
		file, at, err := readBlock(line)
		if err != nil {
			return nil, err
		}
		if at == 0 || path.Dir(file) == program {
			continue
		}
		if declared[file] == nil {
			if declared[file], err = declarations(filepath.Join(root, file)); err != nil {
				return nil, err
			}
		}
		for _, d := range declared[file] {
			if d.from <= at && at <= d.to {
				entered[function{file, d.name}] = true
			}
		}
	}
	return entered, nil
}

// readBlock reads a line such as "hush/seal/key.go:20.33,24.2 3 1": a block's file below
// the root and the line that it begins on. The line is 0 for a block that was not
// entered.
func readBlock(line string) (file string, at int, err error) {
	fields := strings.Fields(line)
	place, found := strings.CutPrefix(line, module)
	if len(fields) != 3 || !found {
		return "", 0, fmt.Errorf("the profile has the line %q, want a block of Hush", line)
	}
	file, place, _ = strings.Cut(place, ":")
	if fields[2] == "0" {
		return file, 0, nil
	}
	begin, _, _ := strings.Cut(place, ".")
	at, err = strconv.Atoi(begin)
	return file, at, err
}

// declaration is a function in a file, from its first line to its last.
type declaration struct {
	name     string
	from, to int
}

// declarations returns the functions of a Go file in its order.
func declarations(name string) (all []declaration, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, declaration{nameOf(f), set.Position(f.Pos()).Line, set.Position(f.End()).Line})
		}
	}
	return all, nil
}

// nameOf returns a function's name, after the type of its receiver if it has one.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	switch generic := receiver.(type) {
	case *ast.IndexExpr:
		receiver = generic.X
	case *ast.IndexListExpr:
		receiver = generic.X
	}
	if id, ok := receiver.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
