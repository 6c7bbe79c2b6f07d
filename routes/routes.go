// Package routes is the tree of everything that the service serves over HTTP:
// the RPCs, the routes of three versions of the Onetime Secret API, and the
// pages behind links. It matches paths and serves them. The packages below it have
// the tables of the versions with their codecs, read parameters, call RPCs, represent
// refusals and render pages. Only package server builds the tree.
//
// It promises that a legacy route calls one RPC, or one of two that a parameter
// selects, and does nothing more. A line of a table reads parameters into the
// RPC's request, calls the same method as RPC clients, behind the same chain, and
// writes the response in the form that clients of its version know. No rule about secrets lives here, and no path bypasses the rules.
//
// A request is taken exactly as sent or refused: nothing is truncated, replaced
// or guessed, except for lifetimes, where clients spell "the default" in many ways, and
// the line breaks of the share form, which browsers spell in two characters.
// Refusals never repeat what was sent, except for the key of an unknown secret.
// No GET reveals anything, whatever its query contains. Responses of the API
// are JSON on every path, are never cached and never redirect.
package routes

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/call"
	"hush/routes/pages"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/version"
)

// Options are the dependencies and settings of New.
type Options struct {
	// API holds the services. Required, with its Chain, Middleware
	// and Gate.
	API *handlers.API
	// BaseURL is the public address of the service, such as
	// https://secrets.example. All links are built from it, and none from a
	// request. Required; it must have a scheme and a host.
	BaseURL *url.URL
	// Catalogue holds the messages in every language. Required.
	Catalogue *locale.Catalogue
	// Accepting reports whether /readyz may respond with 200: not while the service
	// stops. Nil means always.
	Accepting func() bool
	// DiskFull reports whether the disk has too little room for new secrets. Nil means
	// never.
	DiskFull func() bool
	// Now is the clock for relative times in responses. Nil means time.Now.
	Now func() time.Time
}

// tree is what the handlers of one tree share.
type tree struct {
	env *call.Env
	mux *chi.Mux
	// mounts are the services of the API.
	mounts []chain.Mount
	// versions are the versions of the older API.
	versions []version.Version
	// access declares who the patterns are for, by method and pattern.
	access map[string]hushv1.Access
	// site is everything but the API.
	site *pages.Site
}

// New builds the tree. It returns an error if a required option is missing or
// if the parameters or the message of a route fit no RPC.
func New(opts Options) (http.Handler, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	t := &tree{
		env: &call.Env{
			Links: call.NewLinks(opts.BaseURL), Catalogue: opts.Catalogue, Clock: opts.Now, NewShrimp: chain.NewShrimp, Gate: opts.API.Gate,
			Ready: opts.API.Ready, Accepting: opts.Accepting, DiskFull: opts.DiskFull, Policy: opts.API.Policy,
		},
		mux:      chi.NewMux(),
		mounts:   opts.API.Mounts,
		versions: versions(opts.API),
		access:   make(map[string]hushv1.Access),
	}
	t.env.Names = names(t.versions, pages.Routes(opts.API))
	if t.env.Clock == nil {
		t.env.Clock = time.Now
	}
	for _, mount := range t.mounts {
		t.mount(mount)
	}
	for _, v := range t.versions {
		if err := t.add(v); err != nil {
			return nil, err
		}
	}
	if err := t.addPages(opts.API); err != nil {
		return nil, err
	}
	t.mux.NotFound(t.notFound)
	t.mux.MethodNotAllowed(t.methodNotAllowed)
	return secured(opts.BaseURL, onePath(opts.API.Middleware(t.mux))), nil
}

// names returns the names of the parameters of all routes and pages.
func names(versions []version.Version, site []pages.Route) params.Names {
	var all []params.Field
	for _, v := range versions {
		for _, rt := range v.Routes {
			all = append(all, rt.Action.Fields...)
		}
	}
	for _, p := range site {
		all = append(all, p.Action.Fields...)
	}
	return params.NamesOf(all)
}

func (o Options) check() error {
	switch {
	case o.API == nil || o.API.Chain == nil || o.API.Middleware == nil || o.API.Gate == nil:
		return errors.New("routes need an API with its chain, its middleware and its gate")
	case o.BaseURL == nil || o.BaseURL.Scheme == "" || o.BaseURL.Host == "":
		return errors.New("routes need a base URL with scheme and host")
	case o.Catalogue == nil:
		return errors.New("routes need a catalogue of messages")
	}
	return nil
}

func (t *tree) add(v version.Version) error {
	for _, rt := range v.Routes {
		if rt.Action.Ready != nil {
			return fmt.Errorf("route %s %s%s: %w", rt.Method, v.Prefix, rt.Path, rt.Action.Ready)
		}
		if rt.Method == http.MethodOptions {
			t.handle(rt.Method, v.Prefix+rt.Path, rt.Action.Access, preflightHandler(v.Prefix+rt.Path))
			continue
		}
		t.handle(rt.Method, v.Prefix+rt.Path, rt.Action.Access, routeHandler(t.env, v, rt))
	}
	return nil
}

func (t *tree) addPages(api *handlers.API) (err error) {
	if t.site, err = pages.New(t.env, api); err != nil {
		return err
	}
	for _, p := range pages.Routes(api) {
		t.handle(p.Method, p.Pattern, p.Action.Access, t.site.Handler(p))
	}
	return nil
}

// spellings returns the paths of a route. A path without parameters may end in
// a slash, and so may a link that people pass on.
func spellings(path string) []string {
	link := strings.HasSuffix(path, "/{key}") && !strings.HasPrefix(path, "/api/")
	if strings.Contains(path, "{") && !link || strings.HasSuffix(path, "/") {
		return []string{path}
	}
	return []string{path, path + "/"}
}

// handle registers a route. GET serves HEAD as well.
func (t *tree) handle(method, path string, access hushv1.Access, h http.HandlerFunc) {
	for _, p := range spellings(path) {
		t.register(method, p, access, h)
		if method == http.MethodGet {
			t.register(http.MethodHead, p, access, h)
		}
	}
}

func (t *tree) register(method, pattern string, access hushv1.Access, h http.Handler) {
	t.access[method+" "+pattern] = access
	t.mux.Method(method, pattern, t.visible(access, h))
}

// mount registers a service for every method: the protocol decides which ones
// it accepts.
func (t *tree) mount(mount chain.Mount) {
	path := strings.TrimSuffix(mount.Path, "/")
	for _, method := range methods() {
		for _, pattern := range []string{path, path + "/", path + "/*"} {
			t.access[method+" "+pattern] = mount.Access
		}
	}
	t.mux.Mount(path, t.visible(mount.Access, mount.Handler))
}

// visible serves next to callers for whom it exists, and treats it as an
// unknown path for all others.
func (t *tree) visible(access hushv1.Access, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if chain.Hides(access, r) {
			t.notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// versionOf returns the API version whose error form a path gets. It reports
// whether there is one, and whether the path belongs to the API at all.
func (t *tree) versionOf(path string) (v version.Version, found, api bool) {
	for _, v := range t.versions {
		if path == v.Prefix || strings.HasPrefix(path, v.Prefix+"/") {
			return v, true, true
		}
	}
	return version.Version{}, false, path == "/api" || strings.HasPrefix(path, "/api/")
}

func (t *tree) notFound(w http.ResponseWriter, r *http.Request) {
	chain.Route(r, Unknown)
	v, found, api := t.versionOf(r.URL.Path)
	switch {
	case found:
		v.Fail(w, t.env.Request(r), &refusal.Error{Class: refusal.ClassRoute})
	case api:
		version.WriteJSON(w, http.StatusNotFound, version.RouteAnswer{Message: refusal.TextRoute})
	case chain.RefuseUnknownCall(w, r):
	default:
		t.site.NotFound(w, r)
	}
}

func (t *tree) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	// A method that no route ever has does not reach the services. They decide
	// which of the others they allow.
	for _, mount := range t.mounts {
		if strings.HasPrefix(r.URL.Path, mount.Path) {
			t.visible(mount.Access, mount.Handler).ServeHTTP(w, r)
			return
		}
	}
	allowed := t.allowed(r)
	if len(allowed) == 0 {
		t.notFound(w, r)
		return
	}
	chain.Route(r, Unknown)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	v, found, api := t.versionOf(r.URL.Path)
	switch {
	case found:
		v.Fail(w, t.env.Request(r), &refusal.Error{Class: refusal.ClassMethod})
	case api:
		version.WriteJSON(w, http.StatusMethodNotAllowed, version.RouteAnswer{Message: refusal.TextMethod})
	default:
		pages.MethodNotAllowed(w)
	}
}

// allowed returns the methods that the request's path has for the caller.
func (t *tree) allowed(r *http.Request) []string {
	path := call.RoutedPath(r)
	var allowed []string
	for _, method := range methods() {
		pattern := t.mux.Find(chi.NewRouteContext(), method, path)
		if pattern != "" && !chain.Hides(t.access[method+" "+pattern], r) {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// methods returns the methods that a route may have.
func methods() []string {
	return []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}
}
