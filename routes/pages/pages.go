// Package pages serves everything but the API: the web client, plain texts for
// programs, and the pages behind links for browsers without scripts.
//
// It promises that opening a link changes nothing and looks nothing up, so that
// people and programs get the same page for every key; that a secret is shown
// once, after its button was pressed; and that every response has headers that
// keep it out of caches and frames. A page acts through one RPC, like a route
// of the API. Only package routes builds a Site and serves it.
package pages

import (
	"cmp"
	"fmt"
	"net/http"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/web"
)

// Route is one path of a site.
type Route struct {
	// Method is the HTTP method.
	Method string
	// Path is the template, as in routing tables.
	Path string
	// Pattern is the path as chi matches it.
	Pattern string
	// Action is the RPC behind the page. It has no procedures if there is none.
	Action call.Action

	serve func(site *Site) http.HandlerFunc
}

// Routes returns all paths of a site, its pages first.
func Routes(api *handlers.API) []Route {
	var all []Route
	for _, p := range shellPages(api) {
		all = append(all, static(p.path, cmp.Or(p.pattern, p.path), "page", func(site *Site) http.HandlerFunc { return site.shellPage(p) }))
	}
	asks := asksPolicy(api)
	all = append(all, Route{
		Method: http.MethodGet, Path: sharePath, Pattern: sharePath, Action: asks,
		serve: func(site *Site) http.HandlerFunc { return site.home(asks) },
	})
	for _, p := range dynamicPages(api) {
		all = append(all, Route{
			Method: p.method, Path: p.path, Pattern: p.path, Action: p.action,
			serve: func(site *Site) http.HandlerFunc { return site.dynamic(p) },
		})
	}
	for _, p := range filePaths() {
		all = append(all, static(p.template, p.pattern, "file", func(site *Site) http.HandlerFunc { return site.filePage(p) }))
	}
	all = append(all, static(downloadPath, downloadPath, "download", func(*Site) http.HandlerFunc { return missedDownload }))
	all = append(all, static(healthPath, healthPath, "health", func(site *Site) http.HandlerFunc { return site.health }))
	all = append(all, static(readyPath, readyPath, "ready", func(site *Site) http.HandlerFunc { return site.ready }))
	for _, p := range textPages() {
		all = append(all, static(p.path, p.path, p.operation, func(*Site) http.HandlerFunc { return p.serve }))
	}
	all = append(all, static(securityPath, securityPath, "contact", func(site *Site) http.HandlerFunc { return site.securityContact }))
	return append(all, static(documentPath, documentPath, "document", func(*Site) http.HandlerFunc { return document() }))
}

// static is a path whose response calls no RPC.
func static(path, pattern, operation string, serve func(site *Site) http.HandlerFunc) Route {
	return Route{Method: http.MethodGet, Path: path, Pattern: pattern, Action: call.Action{Operation: operation}, serve: serve}
}

// New reads the embedded web client. It returns an error if the client is
// incomplete or if the parameters of a page fit no RPC.
func New(env *call.Env, api *handlers.API) (*Site, error) {
	files, err := web.Files()
	if err != nil {
		return nil, fmt.Errorf("reading the web client: %w", err)
	}
	site := &Site{env: env}
	if site.client, err = newClient(files); err != nil {
		return nil, err
	}
	for _, route := range Routes(api) {
		if route.Action.Ready != nil {
			return nil, fmt.Errorf("page %s %s: %w", route.Method, route.Path, route.Action.Ready)
		}
	}
	says := []noscriptPage{unknownPage(), sharePage(), closedPage()}
	for _, p := range shellPages(api) {
		says = append(says, p.says)
	}
	for _, page := range says {
		for _, l := range locale.Supported() {
			site.addShell(page, l)
		}
	}
	return site, nil
}

// Handler serves a route, which must be one of Routes.
func (site *Site) Handler(route Route) http.HandlerFunc { return restricted(route.serve(site)) }

// NotFound responds for a path outside the API that no route has.
func (site *Site) NotFound(w http.ResponseWriter, r *http.Request) {
	restrict(w.Header())
	site.showShell(w, site.env.Request(r), http.StatusNotFound, unknownPage())
}

// MethodNotAllowed responds for a path outside the API whose routes have other
// methods.
func MethodNotAllowed(w http.ResponseWriter) {
	restrict(w.Header())
	writeText(w, http.StatusMethodNotAllowed, refusal.TextMethod)
}

// shellPage is a path of the web client.
type shellPage struct {
	path    string // its template
	says    noscriptPage
	pattern string // for chi; empty if it is the template
}

// shellPages returns the client's paths. All serve the shell; they differ in
// its content for browsers without scripts.
func shellPages(api *handlers.API) []shellPage {
	var all []shellPage
	for _, page := range []struct{ path, start string }{
		{"/signin", "signin"}, {"/signup", "signup"}, {"/signup/{key}", "invited"}, {"/reset", "forgot"},
		{"/recent", "recent"}, {"/account", "account"}, {"/account/requests", "requests"}, {"/account/tokens", "tokens"},
		{"/account/domains", "domains"}, {"/account/domains/{domain}", "domain"}, {"/colonel", "colonel"},
		{"/feedback", "feedback"}, {"/about", "about"}, {"/security", "security"},
	} {
		all = append(all, shellPage{path: page.path, says: homePage(page.start)})
	}
	all = append(all,
		shellPage{path: "/s", says: fragmentPage("/s#", "/secret/", startOpen)},
		shellPage{path: "/e", says: endToEndPage()},
		shellPage{path: "/q", says: answerPage()},
		shellPage{path: "/c", says: collectPage()},
		escapedLink("/s"), escapedLink("/e"), escapedLink("/q"), escapedLink("/c"),
		shellPage{path: "/secret/{key}", says: secretPage()},
		shellPage{path: "/r", says: fragmentPage("/r#", "/private/", startReceipt)},
	)
	for _, name := range call.ReceiptNames() {
		all = append(all, shellPage{path: "/" + name + "/{key}", says: receiptPage()})
	}
	for _, p := range ticketPages(api) {
		all = append(all, shellPage{path: p.path, says: p.says()})
	}
	return all
}

// escapedLink is the path of a link whose number sign a program on the way, such as
// a mail gateway, has escaped, once or twice. What follows has reached the server
// and is logged nowhere: only the template is.
func escapedLink(path string) shellPage {
	return shellPage{path: path + "%23{link}", says: escapedPage(), pattern: path + "{link:(?:#|%23).*}"}
}

// textPage is a plain text for programs.
type textPage struct{ path, operation, text string }

func textPages() [1]textPage {
	return [1]textPage{
		{"/robots.txt", "robots", "User-agent: *\nDisallow: /\n"},
	}
}

func (p textPage) serve(w http.ResponseWriter, r *http.Request) {
	chain.Route(r, p.path)
	writeText(w, http.StatusOK, p.text)
}

// healthPath is where a supervisor asks whether the process responds, and
// readyPath where a balancer asks whether to send requests here.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// health responds with 503 while the service cannot serve. On a full disk it can: what
// is there is opened and burned, so the answer is 200, and names the cause of what is
// refused.
func (site *Site) health(w http.ResponseWriter, r *http.Request) {
	chain.Probe(r, healthPath)
	if site.env.Ready != nil && site.env.Ready() != nil {
		w.Header().Set("Retry-After", "1")
		writeText(w, http.StatusServiceUnavailable, "the database cannot be reached")
		return
	}
	if site.env.DiskFull != nil && site.env.DiskFull() {
		writeText(w, http.StatusOK, "ok, but the disk is full: new secrets are refused")
		return
	}
	writeText(w, http.StatusOK, "ok")
}

// ready responds with 503 while the service stops, and when health does.
func (site *Site) ready(w http.ResponseWriter, r *http.Request) {
	if site.env.Accepting == nil || site.env.Accepting() {
		site.health(w, r)
		chain.Probe(r, readyPath)
		return
	}
	chain.Probe(r, readyPath)
	w.Header().Set("Retry-After", "1")
	writeText(w, http.StatusServiceUnavailable, "stopping")
}

// dynamicPages returns the pages that act. Like a route of the API, each calls
// one RPC behind the same chain.
func dynamicPages(api *handlers.API) []dynamicPage {
	all := append([]dynamicPage{sharedPage(api), revealPage(api)}, receiptPages(api)...)
	for _, p := range ticketPages(api) {
		all = append(all, p.sent())
	}
	return append(all, imagePages(api)...)
}

func (site *Site) shellPage(p shellPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, p.path)
		site.showShell(w, site.env.Request(r), http.StatusOK, p.says)
	}
}

// filePath is the place of the client's files. Only embedded names are served;
// the pattern keeps other paths from matching.
type filePath struct{ template, pattern string }

func filePaths() [3]filePath {
	return [3]filePath{
		{"/assets/{file}", "/assets/{file}"},
		{"/{file}", `/{file:[a-z0-9-]+\.(?:ico|png|svg|webmanifest)}`},
		{workerPath, workerPath},
	}
}

func (site *Site) filePage(p filePath) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, p.template)
		file := site.client.files[call.RoutedPath(r)]
		if file == nil {
			writeText(w, http.StatusNotFound, refusal.TextRoute)
			return
		}
		switch call.RoutedPath(r) {
		case previewPath:
			// A chat in a browser shows it on a page of its own.
			w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		case workerPath:
			w.Header().Set("Content-Security-Policy", workerPolicy)
		}
		file.answer(w, r.Header, http.StatusOK)
	}
}
