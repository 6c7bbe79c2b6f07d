// Package web holds the built web client. Its files are committed, so they are
// the same in every binary that is built from this commit. The package does not
// know how they are served.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built client: index.html, the icons beside it, and what it
// loads, under assets.
func Files() (fs.FS, error) {
	return fs.Sub(dist, "dist")
}
