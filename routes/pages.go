package routes

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
)

//go:embed pages
var pageFiles embed.FS

// page is a path of the web client.
type page struct {
	path string
	says noscriptPage
}

// pages are the client's paths. All answer the shell; they differ in what that
// says where no script runs.
func pages(c *handlers.Callable) []page {
	var all []page
	for _, path := range []string{
		"/", "/signin", "/signup", "/signup/{key}", "/reset", "/recent", "/account", "/account/tokens",
		"/account/domains", "/account/domains/{domain}", "/colonel", "/feedback", "/about",
	} {
		all = append(all, page{path, homePage()})
	}
	all = append(all,
		page{"/s", fragmentPage("/s#", "/secret/")},
		page{"/secret/{key}", secretPage()},
		page{"/r", fragmentPage("/r#", "/private/")},
	)
	for _, name := range call.ReceiptNames() {
		all = append(all, page{"/" + name + "/{key}", receiptPage()})
	}
	for _, p := range ticketPages(c) {
		all = append(all, page{p.path, p.says()})
	}
	return all
}

// textPage is a plain text for programs.
type textPage struct{ path, operation, text string }

func textPages() [2]textPage {
	return [2]textPage{
		{"/healthz", "health", "ok"},
		{"/robots.txt", "robots", "User-agent: *\nDisallow: /\n"},
	}
}

func (t *tree) addPages(c *handlers.Callable) error {
	if err := t.addClient(c); err != nil {
		return err
	}
	for _, p := range pages(c) {
		t.handle(http.MethodGet, p.path, restricted(t.shellPage(p)))
	}
	for _, p := range filePaths() {
		t.handle(http.MethodGet, p.pattern, restricted(t.filePage(p)))
	}
	for _, p := range textPages() {
		t.handle(http.MethodGet, p.path, restricted(p.serve))
	}
	return t.addDynamicPages(c)
}

func (p textPage) serve(w http.ResponseWriter, r *http.Request) {
	handlers.Route(r, p.path)
	writeText(w, http.StatusOK, p.text)
}

// pageRows are the lines of the table for all that is not the API.
func pageRows(c *handlers.Callable) []Row {
	var routes []Row
	for _, p := range pages(c) {
		routes = append(routes, Row{http.MethodGet, p.path, "page"})
	}
	for _, p := range dynamicPages(c) {
		routes = append(routes, Row{p.method, p.path, p.action.Operation})
	}
	for _, p := range filePaths() {
		routes = append(routes, Row{http.MethodGet, p.template, "file"})
	}
	for _, p := range textPages() {
		routes = append(routes, Row{http.MethodGet, p.path, p.operation})
	}
	return routes
}

func parsePage(file string) (*template.Template, error) {
	set, err := template.ParseFS(pageFiles, "pages/"+file, "pages/view.html")
	if err != nil {
		return nil, fmt.Errorf("parsing page %s: %w", file, err)
	}
	return set.Lookup(file), nil
}

// pageNotFound answers for a path outside the API that nothing has.
func (t *tree) pageNotFound(w http.ResponseWriter, req *call.Request) {
	restrict(w.Header())
	t.showShell(w, req, http.StatusNotFound, unknownPage())
}

// pageMethodNotAllowed answers for a path outside the API that has other
// methods.
func pageMethodNotAllowed(w http.ResponseWriter) {
	restrict(w.Header())
	writeText(w, http.StatusMethodNotAllowed, refusal.TextMethod)
}
