package main

import (
	"os"
	"slices"
	"testing"

	"hush/testtier/docs"
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
	const root = "../../"
	names, err := docs.Names(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, name := range names {
		name = root + name
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
