// Package docs finds the documents of the project for the tests that check them.
package docs

import (
	"io/fs"
	"path"
)

// Names returns the paths of the documents of a source tree: those at its root, and all
// below docs, however deep.
func Names(tree fs.FS) (names []string, err error) {
	names, err = fs.Glob(tree, "*.md")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(tree, "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
