package pages

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5"

	"hush/routes/call"
)

const (
	hiddenContent = "nobody is to see this"
	brotliContent = "the file, smaller"
	firstScript   = "let b = 2; let b = 2; let b = 2; let b = 2; let b = 2; let b = 2; let b = 2;"
)

// builtClient returns a client as a build may leave it, with files in its
// folder that must not be served.
func builtClient() fstest.MapFS {
	files := fstest.MapFS{
		"index.html":             {Data: []byte(`<html lang="en"><head></head><body>` + hiddenContent + `</body></html>`)},
		"icon.svg":               {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg">` + strings.Repeat("<g></g>", 50) + `</svg>`)},
		"icon-512.png":           {Data: []byte("png")},
		"favicon.ico":            {Data: []byte("ico")},
		"sw.js":                  {Data: []byte(strings.Repeat("let c = 3;\n", 50))},
		"manifest.webmanifest":   {Data: []byte("{}")},
		"assets/index-Ab_1-2.js": {Data: []byte(strings.Repeat("let a = 1;\n", 50))},
		"assets/index-x.css":     {Data: []byte(strings.Repeat("a{b:c}\n", 50))},
		"assets/index-x.css.br":  {Data: []byte(brotliContent)},
		"assets/first-y.js.gz":   {Data: pack([]byte(firstScript))},
		"assets/first-y.js.br":   {Data: []byte(brotliContent)},
		"assets/mono.woff2":      {Data: []byte("font")},
		"assets/logo.png":        {Data: []byte("png")},
	}
	for _, name := range []string{
		"assets/index.js.map", "assets/index.js.br", "assets/.secret.js", "assets/index.html", "assets/deep/x.js", ".vite.svg", "secrets.txt", "assets/noname",
		"deep/x.svg", "deep/sw.js", "index.js", "style.css",
	} {
		files[name] = &fstest.MapFile{Data: []byte(hiddenContent)}
	}
	return files
}

// fileTree serves a client's files and nothing else.
func fileTree(t *testing.T) http.Handler {
	t.Helper()
	built, err := newClient(builtClient())
	if err != nil {
		t.Fatalf("newClient(): got error %v", err)
	}
	return serveFiles(built)
}

func serveFiles(built *client) http.Handler {
	site, mux := &Site{client: built}, chi.NewMux()
	for _, p := range filePaths() {
		mux.Get(p.pattern, restricted(site.filePage(p)))
		mux.Head(p.pattern, restricted(site.filePage(p)))
	}
	return mux
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func getFile(h http.Handler, path, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	return serve(h, r)
}

func TestFiles(t *testing.T) {
	h := fileTree(t)
	const forever, hour = "public, max-age=31536000, immutable", "public, max-age=3600"
	for path, want := range map[string]struct {
		contentType, caching string
		packed               bool
	}{
		"/assets/index-Ab_1-2.js": {"text/javascript; charset=utf-8", forever, true},
		"/assets/index-x.css":     {"text/css; charset=utf-8", forever, true},
		"/assets/mono.woff2":      {"font/woff2", forever, false},
		"/assets/logo.png":        {"image/png", forever, false},
		"/sw.js":                  {"text/javascript; charset=utf-8", hour, true},
		"/icon.svg":               {"image/svg+xml", hour, true},
		"/icon-512.png":           {"image/png", hour, false},
		"/favicon.ico":            {"image/x-icon", hour, false},
		"/manifest.webmanifest":   {"application/manifest+json", hour, false},
	} {
		content := string(builtClient()[path[1:]].Data)
		plain, packed := getFile(h, path, ""), getFile(h, path, "br;q=0.5, gzip")
		if got := plain.Body.String(); plain.Code != http.StatusOK || got != content {
			t.Errorf("GET %s: got %d %q, want its content", path, plain.Code, got)
		}
		for name, value := range map[string]string{
			"Content-Type": want.contentType, "Cache-Control": want.caching, "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": policyOf(path), "Cross-Origin-Resource-Policy": "same-origin", "Content-Encoding": "",
		} {
			if got := plain.Header().Get(name); got != value {
				t.Errorf("GET %s: got %s %q, want %q", path, name, got, value)
			}
		}
		if got := packed.Header().Get("Content-Encoding") == "gzip"; got != want.packed {
			t.Errorf("GET %s with gzip: got packed %t, want %t", path, got, want.packed)
		}
		if got := unpacked(t, packed); got != content {
			t.Errorf("GET %s with gzip: got %q, want its content", path, got)
		}
		if want.packed && (packed.Header().Get("Vary") != "Accept-Encoding" || plain.Header().Get("Vary") != "Accept-Encoding") {
			t.Errorf("GET %s: got Vary %q, want Accept-Encoding", path, packed.Header().Get("Vary"))
		}
	}
}

// policyOf returns the policy that a file is served with. The worker, which gets what a
// page decrypts, may load nothing.
func policyOf(path string) string {
	if path == "/sw.js" {
		return "default-src 'none'"
	}
	return contentPolicy
}

// unpacked decodes a response in the form that its header names.
func unpacked(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Header().Get("Content-Encoding") != "gzip" {
		return w.Body.String()
	}
	content, err := unpack(w.Body.Bytes())
	if err != nil {
		t.Fatalf("unpacking: got error %v", err)
	}
	return string(content)
}

// A file that the build compressed is sent in that form to browsers that take it,
// and its other forms stay as they are.
func TestBrotliFiles(t *testing.T) {
	h := fileTree(t)
	style := string(builtClient()["assets/index-x.css"].Data)
	for _, test := range []struct{ path, accept, coding, body string }{
		{"/assets/index-x.css", "gzip, deflate, br, zstd", "br", brotliContent},
		{"/assets/index-x.css", "br;q=0.4, gzip;q=0.8", "gzip", style},
		{"/assets/index-x.css", "br;q=0, identity", "", style},
		{"/assets/index-x.css", "", "", style},
		{"/assets/first-y.js", "gzip, br", "br", brotliContent},
		{"/assets/first-y.js", "gzip", "gzip", firstScript},
		{"/assets/first-y.js", "", "", firstScript},
		{"/assets/index-Ab_1-2.js", "gzip, br", "gzip", string(builtClient()["assets/index-Ab_1-2.js"].Data)},
		{"/assets/index-Ab_1-2.js", "br", "", string(builtClient()["assets/index-Ab_1-2.js"].Data)},
	} {
		w := getFile(h, test.path, test.accept)
		header := w.Header()
		length := strconv.Itoa(w.Body.Len())
		if got := header.Get("Content-Encoding"); got != test.coding || header.Get("Vary") != "Accept-Encoding" || header.Get("Content-Length") != length {
			t.Errorf("GET %s accepting %q: got the coding %q, Vary %q and the length %s of %s, want %q, Accept-Encoding and the whole length",
				test.path, test.accept, got, header.Get("Vary"), header.Get("Content-Length"), length, test.coding)
		}
		if got := unpacked(t, w); got != test.body {
			t.Errorf("GET %s accepting %q: got %q, want %q", test.path, test.accept, got, test.body)
		}
	}
}

// An attacker requests files beside those meant for him: in the program, in the
// built folder, and on the disk. Only the exact names of the client's files are
// served.
func TestOnlyNamedFilesAnswer(t *testing.T) {
	h := fileTree(t)
	paths := []string{
		"/index.html", "/assets/index.html", "/assets/../index.html", "/assets/..%2findex.html", "/assets/%2e%2e/index.html",
		"/assets/%2e%2e%2findex.html", "/assets/.%2e/index.html", "/assets/..", "/assets/../", "/assets/.", "/assets/", "/assets", "/assets//",
		"/assets//index-x.css", "//assets/index-x.css", "/./assets/index-x.css", "/assets/./index-x.css", "/x/../assets/index-x.css",
		"/assets/index-x.css/", "/assets/index-x.css/.", "/assets/index-x.css%00", "/assets/index-x.css%00.js", "/assets/index-x.css.", "/assets/index-x.css%20",
		"/assets/%20index-x.css", "/assets/INDEX-X.CSS", "/ASSETS/index-x.css", "/assets/index%2dx.css", "/assets%2findex-x.css", "/assets%5cindex-x.css", `/assets\index-x.css`,
		`/assets/..\index.html`, "/assets/..%5cindex.html", "/assets/%252e%252e/index.html", "/assets/..;/index.html", "/assets/index-x.css;a=b", "/assets/index-x.css:$DATA",
		"/assets/index.js.map", "/assets/index-x.css.br", "/assets/index.js.br", "/assets/first-y.js.gz", "/assets/first-y.js.br", "/assets/index-Ab_1-2.js.gz", "/assets/.secret.js", "/assets/noname", "/assets/deep/x.js", "/assets/deep%2fx.js", "/assets/deep", "/.vite.svg",
		"/secrets.txt", "/deep/x.svg", "/deep/sw.js", "/assets/sw.js", "/sw.js/", "/sw%2ejs", "/SW.js", "/deep%2fx.svg", "/index.js", "/style.css", "/web/embed.go", "/assets/../../embed.go", "/assets/../../../../etc/passwd",
		"/assets/....//....//etc/passwd", "/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/assets/C:/boot.ini", "/assets/file:///etc/passwd", "/assets/*", "/assets/%2a",
		"/assets/{file}", "/icon.svg/..", "/icon.svg%2f", "/x.svg", "/icon.png", "/ICON.svg", "/icon.svgz", "/%69con.svg", "/dist/index.html", "/assets/\xff", "/assets/%ff",
	}
	for _, path := range paths {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		setPath(r, path)
		w := serve(h, r)
		if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), hiddenContent) {
			t.Errorf("GET %q: got %d %q, want 404", path, w.Code, w.Body)
		}
	}
}

// setPath sets a path as a server reads it.
func setPath(r *http.Request, path string) {
	r.URL.Path, r.URL.RawPath = call.UnescapeSegment(path), ""
	if r.URL.EscapedPath() != path {
		r.URL.RawPath = path
	}
}

func TestNewClientRefuses(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"nothing": {}, "no page": {"index.html": {Data: []byte("hello")}}, "no body": {"index.html": {Data: []byte("<html><head></head></html>")}},
		"a file cut short": cutClient(),
	} {
		if _, err := newClient(files); err == nil {
			t.Errorf("newClient(%s): got no error, want one", name)
		}
	}
}

// cutClient returns a client one of whose files in gzip lacks its end.
func cutClient() fstest.MapFS {
	files := builtClient()
	script := files["assets/first-y.js.gz"]
	script.Data = script.Data[:len(script.Data)-1]
	return files
}

// For every path, only a file by its exact name is served.
func FuzzFiles(f *testing.F) {
	for _, path := range []string{"/icon.svg", "/assets/index-x.css", "/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/.secret.js"} {
		f.Add(path)
	}
	built, err := newClient(builtClient())
	if err != nil {
		f.Fatalf("newClient(): got error %v", err)
	}
	h := serveFiles(built)
	f.Fuzz(func(t *testing.T, path string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		setPath(r, path)
		w := serve(h, r)
		if w.Code == http.StatusOK && (built.files[path] == nil || strings.Contains(w.Body.String(), hiddenContent)) {
			t.Errorf("GET %q: got 200 %q, want only files that are named", path, w.Body)
		}
	})
}
