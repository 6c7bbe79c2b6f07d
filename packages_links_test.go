package hush_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// documentLink matches what a document leads to in Markdown, and in HTML within it.
var documentLink = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)

// installed returns the files of the source tree that a package has, by their places.
func installed(t *testing.T, format string) map[string]string {
	t.Helper()
	var described struct {
		Contents []struct{ Dst, Src, Packager string }
	}
	text, err := os.ReadFile("deploy/nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, c := range described.Contents {
		pattern, ours := strings.CutPrefix(c.Src, "${SOURCE}/")
		if !ours || c.Packager != "" && c.Packager != format {
			continue
		}
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("deploy/nfpm.yaml: got %d files %s (%v), want some", len(found), pattern, err)
		}
		for _, file := range found {
			place := c.Dst
			if strings.HasSuffix(place, "/") {
				place += filepath.Base(file)
			}
			files[place] = file
		}
	}
	return files
}

// Packages have every document, and all else below docs: a page in a new folder needs a
// line in deploy/nfpm.yaml.
func TestAllDocumentsAreInstalled(t *testing.T) {
	for _, format := range []string{"deb", "rpm"} {
		var files []string
		for _, file := range installed(t, format) {
			files = append(files, file)
		}
		err := fs.WalkDir(os.DirFS("."), "docs", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && !slices.Contains(files, name) {
				t.Errorf("%s: got no %s, want every file below docs", format, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Who reads a document where a package put it can follow every link in it, to a file or
// to a folder that has one.
func TestInstalledDocumentsLinkToWhatIsInstalled(t *testing.T) {
	for _, format := range []string{"deb", "rpm"} {
		files := installed(t, format)
		folders := map[string]bool{}
		for place := range files {
			for folder := path.Dir(place); folder != "/"; folder = path.Dir(folder) {
				folders[folder] = true
			}
		}
		followed := 0
		for place, file := range files {
			if path.Ext(place) != ".md" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range documentLink.FindAllStringSubmatch(withoutBlocks(string(text)), -1) {
				target, _, _ := strings.Cut(match[1]+match[2], "#")
				if target == "" || strings.Contains(target, ":") {
					continue
				}
				followed++
				if to := path.Join(path.Dir(place), target); files[to] == "" && !folders[to] {
					t.Errorf("%s: %s links to %s, got no such file in the package, want it there", format, place, to)
				}
			}
		}
		if followed < 100 {
			t.Errorf("%s: got %d links, want those of all documents", format, followed)
		}
	}
}

// withoutBlocks returns a document without what it quotes.
func withoutBlocks(text string) string {
	var kept []string
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "")
}
