package routes

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"hush/handlers"
)

//go:embed pages
var pageFiles embed.FS

// page is an answer that is the same for every request of its path.
type page struct {
	path      string
	operation string
	file      string // of a template; empty for plain text
	text      string
}

// pages are the paths outside the API. Nothing on them depends on the request:
// whoever opens a link, or a scanner that follows it, learns what it is for and
// changes nothing.
func pages() []page {
	all := []page{
		{path: "/", operation: "page", file: "home.html"},
		{path: "/secret/{key}", operation: "page", file: "secret.html"},
	}
	for _, name := range receiptNames() {
		all = append(all, page{path: "/" + name + "/{key}", operation: "page", file: "receipt.html"})
	}
	return append(all,
		page{path: "/healthz", operation: "health", text: "ok"},
		page{path: "/robots.txt", operation: "robots", text: "User-agent: *\nDisallow: /\n"},
	)
}

func (t *tree) addPages() error {
	for _, p := range pages() {
		if p.file == "" {
			t.handle(http.MethodGet, p.path, textPage(p))
			continue
		}
		html, err := renderPage(p.file, t.links)
		if err != nil {
			return err
		}
		t.handle(http.MethodGet, p.path, htmlPage(p.path, html))
	}
	html, err := renderPage("unknown.html", t.links)
	if err != nil {
		return err
	}
	t.unknown = html
	return nil
}

// renderPage renders a page once and for all.
func renderPage(file string, l links) ([]byte, error) {
	set, err := template.ParseFS(pageFiles, "pages/layout.html", "pages/"+file)
	if err != nil {
		return nil, fmt.Errorf("parsing page %s: %w", file, err)
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, "layout.html", struct{ Base string }{l.base}); err != nil {
		return nil, fmt.Errorf("rendering page %s: %w", file, err)
	}
	return b.Bytes(), nil
}

func htmlPage(path string, html []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, path)
		writeHTML(w, http.StatusOK, html)
	}
}

func textPage(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, p.path)
		writeText(w, http.StatusOK, p.text)
	}
}

func (t *tree) pageNotFound(w http.ResponseWriter) {
	writeHTML(w, http.StatusNotFound, t.unknown)
}

func writeHTML(w http.ResponseWriter, status int, html []byte) {
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	writePage(w, status, "text/html; charset=utf-8", html)
}

func writeText(w http.ResponseWriter, status int, text string) {
	writePage(w, status, "text/plain; charset=utf-8", []byte(text))
}

func writePage(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(body) // as in writeJSON
}
