package main

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// pagesRun are the documents whose commands tests run as they stand there.
func pagesRun() []string {
	pages := []string{readme, startPage, apiDoc, commandLine, operations + "first-day.md", operations + "worst-day.md"}
	for _, page := range keepItPages() {
		if name := operations + page[0]; !slices.Contains(pages, name) {
			pages = append(pages, name)
		}
	}
	return pages
}

// A page with commands and what they print promises that a test runs them, in whatever
// folder it lies.
func TestPagesWithCommandsAreRun(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("../../docs", func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil || !slices.Contains(names, "../../docs/adr/README.md") {
		t.Fatalf("documents: got %q and %v, want those in folders too", names, err)
	}
	with := 0
	for _, name := range names {
		if len(consoleSessions(t, name)) == 0 {
			continue
		}
		with++
		if !slices.Contains(pagesRun(), name) {
			t.Errorf("%s: got console blocks that no test runs, want a test, or blocks without console", name)
		}
	}
	if with != len(pagesRun()) {
		t.Errorf("pages with console blocks: got %d, want %d", with, len(pagesRun()))
	}
}
