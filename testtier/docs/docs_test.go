package docs_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"hush/testtier/docs"
)

// A page in a folder of docs is a document like all others, however deep it lies.
func TestDocumentsInFoldersAreFound(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"README.md": {}, "main.go": {}, "web/README.md": {}, "docs/a.md": {}, "docs/a.svg": {},
		"docs/task/b.md": {}, "docs/task/deeper/c.md": {},
	}
	want := []string{"README.md", "docs/a.md", "docs/task/b.md", "docs/task/deeper/c.md"}
	if got, err := docs.Names(tree); err != nil || !slices.Equal(got, want) {
		t.Errorf("Names: got %q and %v, want %q", got, err, want)
	}
	if _, err := docs.Names(fstest.MapFS{"README.md": {}}); err == nil {
		t.Error("Names of a tree without docs: got no error, want one")
	}
}
