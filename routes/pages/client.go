package pages

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"hush/locale"
	"hush/routes/call"
)

// client is the web client: the page that starts it, the files that this page
// loads, and the pages for browsers without scripts.
type client struct {
	shell  shell
	starts starts
	// shells returns the shell for visitors without a session.
	shells map[shellName]func() (*asset, error)
	files  map[string]*asset // by path
	// plain is a whole page and noscript a part of the shell; both show a view.
	// preview is another part of the shell, and shows a preview.
	plain    *template.Template
	noscript *template.Template
	preview  *template.Template
}

// shellName identifies a shell: its view and its language.
type shellName struct {
	view   string
	locale locale.Locale
}

// newClient reads the built client.
func newClient(files fs.FS) (*client, error) {
	html, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("reading the web client: %w", err)
	}
	c := &client{shells: make(map[shellName]func() (*asset, error))}
	if c.shell, err = newShell(string(html)); err != nil {
		return nil, err
	}
	if c.starts, err = readStarts(files); err != nil {
		return nil, fmt.Errorf("reading the web client: %w", err)
	}
	if c.files, err = readAssets(files); err != nil {
		return nil, fmt.Errorf("reading the web client: %w", err)
	}
	if c.plain, err = parsePage("plain.html"); err != nil {
		return nil, err
	}
	if c.noscript, err = parsePage("noscript.html"); err != nil {
		return nil, err
	}
	c.preview, err = parsePage("preview.html")
	return c, err
}

// render returns the shell with a view for browsers without scripts.
func (c *client) render(req *call.Request, says noscriptPage, s *view) ([]byte, error) {
	var noscript, preview bytes.Buffer
	s.Instance = instanceName(req)
	s.Start = c.starts.of(req, says.start)
	if err := c.noscript.Execute(&noscript, s); err != nil {
		return nil, fmt.Errorf("rendering %q: %w", s.Title, err)
	}
	if err := c.preview.Execute(&preview, previewOf(req, says)); err != nil {
		return nil, fmt.Errorf("rendering the preview of %q: %w", s.Title, err)
	}
	return c.shell.with(languageTag(req), req.Visitor.Locale.Direction(), preview.Bytes(), noscript.Bytes()), nil
}

// These end the names of the forms in which the build left a file. There is a
// plain file or one in gzip, and perhaps one in brotli beside it.
const (
	gzipSuffix   = ".gz"
	brotliSuffix = ".br"
)

// readAssets reads the files that the shell loads, by path. It leaves out files
// with other names or types.
func readAssets(files fs.FS) (map[string]*asset, error) {
	assets := make(map[string]*asset)
	for _, kind := range []struct{ pattern, caching string }{
		{"assets/*", kept},
		{"*", briefly},
	} {
		names, err := fs.Glob(files, kind.pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range names {
			name := strings.TrimSuffix(file, gzipSuffix)
			if isHidden(name) {
				continue
			}
			if assets["/"+name], err = readAsset(files, file, name, kind.caching); err != nil {
				return nil, err
			}
		}
	}
	return assets, nil
}

// readAsset reads an asset of a name from its file, which may be in gzip.
func readAsset(files fs.FS, file, name, caching string) (*asset, error) {
	newForm := newFileAsset
	if file != name {
		newForm = newPackedAsset
	}
	a, err := newForm(assetTypes()[path.Ext(name)], caching, files, file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	switch _, err := fs.Stat(files, name+brotliSuffix); {
	case err == nil:
		a.brotli = readLater(files, name+brotliSuffix)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return a, nil
}

// isHidden reports whether nothing loads a file. Folders are hidden, too.
func isHidden(name string) bool {
	return assetTypes()[path.Ext(name)] == "" || strings.HasPrefix(path.Base(name), ".")
}

//go:embed templates
var templates embed.FS

func parsePage(file string) (*template.Template, error) {
	set, err := template.ParseFS(templates, "templates/"+file, "templates/view.html")
	if err != nil {
		return nil, fmt.Errorf("parsing page %s: %w", file, err)
	}
	return set.Lookup(file), nil
}
