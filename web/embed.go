// Package web holds the browser's side of the service as it was built: files
// that are the same in every program made from this commit. It knows nothing of
// how they are served.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the built client: index.html, what it loads under assets, and icons
// beside it.
func Files() (fs.FS, error) {
	return fs.Sub(dist, "dist")
}
