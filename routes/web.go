package routes

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"hush/handlers"
	"hush/locale"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/web"
)

// client is the web client: the page that starts it, the files that this page
// loads, and the pages for browsers that run no script.
type client struct {
	shell shell
	// shells are the shell as it is served to everybody without a session.
	shells map[shellName]*asset
	files  map[string]*asset // by path
	// plain is a page of its own and noscript a part of the shell; both show a
	// view.
	plain    *template.Template
	noscript *template.Template
}

// shellName is what the shell depends on: which view it holds, and in which
// language.
type shellName struct {
	view   string
	locale locale.Locale
}

// newClient reads the client as it was built.
func newClient(files fs.FS) (*client, error) {
	html, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("reading the web client: %w", err)
	}
	c := &client{shells: make(map[shellName]*asset)}
	if c.shell, err = newShell(string(html)); err != nil {
		return nil, err
	}
	if c.files, err = readAssets(files); err != nil {
		return nil, fmt.Errorf("reading the web client: %w", err)
	}
	if c.plain, err = parsePage("plain.html"); err != nil {
		return nil, err
	}
	c.noscript, err = parsePage("noscript.html")
	return c, err
}

// addClient reads the embedded client and makes its shells, so that a view
// that cannot be shown stops the start.
func (t *tree) addClient(c *handlers.Callable) (err error) {
	files, err := web.Files()
	if err != nil {
		return fmt.Errorf("reading the web client: %w", err)
	}
	if t.client, err = newClient(files); err != nil {
		return err
	}
	says := []noscriptPage{unknownPage()}
	for _, p := range pages(c) {
		says = append(says, p.says)
	}
	for _, s := range says {
		for _, l := range locale.Supported() {
			if err := t.addShell(s, l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tree) addShell(says noscriptPage, l locale.Locale) error {
	name := shellName{says.name, l}
	if t.client.shells[name] != nil {
		return nil
	}
	req := &call.Request{Links: t.env.Links, Catalogue: t.env.Catalogue, Visitor: handlers.Visitor{Locale: l}}
	html, err := t.client.render(req, says.view(req))
	if err != nil {
		return err
	}
	t.client.shells[name] = newAsset(typeHTML, notStored, html)
	return nil
}

// render is the shell with a view for browsers that run no script.
func (c *client) render(req *call.Request, s *view) ([]byte, error) {
	var b bytes.Buffer
	if err := c.noscript.Execute(&b, s); err != nil {
		return nil, fmt.Errorf("rendering %q: %w", s.Title, err)
	}
	return c.shell.with(languageTag(req), b.Bytes()), nil
}

// showShell answers with the page that starts the client. Nothing on it depends
// on what the path's parameters hold: nothing is looked up for it, so whoever
// opens a link, or a program that follows it, learns what it is for and changes
// nothing. A session's form carries the session's token, and such a page is
// sent as it is: beside text that others choose, its packed size could tell
// about the token.
func (t *tree) showShell(w http.ResponseWriter, req *call.Request, status int, says noscriptPage) {
	s := says.view(req)
	s.allowReferrer(w.Header())
	if s.Form == nil || req.Visitor.Shrimp == "" {
		t.client.shells[shellName{says.name, req.Visitor.Locale}].answer(w, req.Header, status)
		return
	}
	s.Form.Shrimp = req.Visitor.Shrimp
	html, err := t.client.render(req, s)
	if err != nil {
		writeText(w, http.StatusInternalServerError, refusal.TextInternal)
		return
	}
	writeBytes(w, status, typeHTML, html)
}

func (t *tree) shellPage(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, p.path)
		t.showShell(w, t.env.Request(r), http.StatusOK, p.says)
	}
}

// filePath is where files of the client are. Only names that are embedded
// answer; the pattern keeps other paths from looking like files.
type filePath struct{ template, pattern string }

func filePaths() [2]filePath {
	return [2]filePath{
		{"/assets/{file}", "/assets/{file}"},
		{"/{file}", `/{file:[a-z0-9-]+\.(?:ico|png|svg|webmanifest)}`},
	}
}

func (t *tree) filePage(p filePath) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, p.template)
		file := t.client.files[call.RoutedPath(r)]
		if file == nil {
			writeText(w, http.StatusNotFound, refusal.TextRoute)
			return
		}
		file.answer(w, r.Header, http.StatusOK)
	}
}

// readAssets reads the files that the shell loads, by the paths that lead to
// them. What has another name or is of another type is not served.
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
		for _, name := range slices.DeleteFunc(names, isHidden) {
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			assets["/"+name] = newAsset(assetTypes()[path.Ext(name)], kind.caching, content)
		}
	}
	return assets, nil
}

// isHidden tells files that nothing loads, folders among them.
func isHidden(name string) bool {
	return assetTypes()[path.Ext(name)] == "" || strings.HasPrefix(path.Base(name), ".")
}
