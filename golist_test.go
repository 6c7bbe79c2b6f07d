package hush_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// goPackage is a package in the output of go list.
type goPackage struct {
	ImportPath                                         string
	Imports, TestImports, XTestImports                 []string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

// listGo asks the go command once for all tests, since that takes it a second or two.
// Packages that do not compile are listed too (-e), since the compiler reports that.
var listGo = sync.OnceValues(func() (map[string]goPackage, error) {
	packages := map[string]goPackage{}
	for _, folder := range moduleFolders() {
		listed, err := listModule[goPackage](folder, "-e", "-deps",
			"-json=ImportPath,Imports,TestImports,XTestImports,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles")
		if err != nil {
			return nil, err
		}
		for _, p := range listed {
			packages[p.ImportPath] = p
		}
	}
	return packages, nil
})

// moduleFolders returns the modules whose packages the rules are about: that of Hush, and
// that of its tools, which uses the packages of the first.
func moduleFolders() []string { return []string{".", "tools/hush"} }

// listModule returns what go list writes about all packages of the module in a folder.
func listModule[T any](folder string, flags ...string) (listed []T, err error) {
	cmd := exec.Command("go", slices.Concat([]string{"list", "-C", folder}, flags, []string{"./..."})...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", folder, err, &complaints)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p T
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return listed, nil
		} else if err != nil {
			return nil, fmt.Errorf("output of go list in %s: %w", folder, err)
		}
		listed = append(listed, p)
	}
}

// goPackages returns the packages of the modules and all that they import, by their
// import paths.
func goPackages(t *testing.T) map[string]goPackage {
	t.Helper()
	packages, err := listGo()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// modulePackages returns the packages of the modules by their paths below the root. It
// leaves out the root itself, which has only tests.
func modulePackages(t *testing.T) map[string]goPackage {
	t.Helper()
	packages := map[string]goPackage{}
	for _, p := range goPackages(t) {
		if name, below := strings.CutPrefix(p.ImportPath, module+"/"); below {
			packages[name] = p
		}
	}
	if len(packages) == 0 {
		t.Fatal("go list: got no package of the modules, want some")
	}
	return packages
}

// moduleFiles returns the Go files of the modules by their paths, for every system and
// with tests.
func moduleFiles(t *testing.T) (files []string) {
	t.Helper()
	for _, p := range goPackages(t) {
		name, ours := strings.CutPrefix(p.ImportPath+"/", module+"/")
		if !ours {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			files = append(files, path.Join(name, file))
		}
	}
	return files
}

// readFolders opens every folder of the source tree. The go command repeats a cached
// result while the files that a test opened are unchanged, and cannot know
// which files a child process read.
func readFolders(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		_, err = os.ReadDir(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
