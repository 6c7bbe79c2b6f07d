package routes

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"google.golang.org/protobuf/proto"

	"hush/handlers"
	"hush/locale"
	"hush/routes/params"
	"hush/routes/refusal"
)

// request is one request on its way through a route, with what its codecs need.
type request struct {
	key       string // of the path, as it was sent; empty for rows without
	params    params.Params
	header    http.Header
	links     links
	now       time.Time
	visitor   handlers.Visitor
	catalogue *locale.Catalogue
	newShrimp func() string // answers a token that validates nothing
}

// shrimp is the session's token against forged requests, or for callers
// without a session one that validates nothing.
func (req *request) shrimp() string {
	if req.visitor.Shrimp != "" {
		return req.visitor.Shrimp
	}
	return req.newShrimp()
}

// text is a message of the catalogue in the caller's language.
func (req *request) text(key string, args ...string) string {
	return req.catalogue.Text(req.visitor.Locale, key, args...)
}

// decoder makes an RPC's request out of parameters. Its error is a *refusal.Error.
type decoder[Req any] func(*request) (*Req, error)

// encoder makes the legacy answer, ready for JSON, out of an RPC's response.
type encoder[Res any] func(*request, *Res) any

// action is what a route does: one RPC, or a choice between two.
type action struct {
	operation string // the RPC's name
	// procedures are the RPCs that it may call; none for what calls none.
	procedures []string
	ready      error // why it cannot be served
	run        func(ctx context.Context, req *request) (any, error)
}

// route is one line of a table.
type route struct {
	method string
	path   string // below the version's prefix
	action action
	open   bool // to scripts of other sites
	hidden bool // from everybody but colonels
	anyone bool // a credential that is not good counts as none
}

func get(path string, a action) route {
	return route{method: http.MethodGet, path: path, action: a}
}

func post(path string, a action) route {
	return route{method: http.MethodPost, path: path, action: a}
}

func put(path string, a action) route {
	return route{method: http.MethodPut, path: path, action: a}
}

func remove(path string, a action) route {
	return route{method: http.MethodDelete, path: path, action: a}
}

func patch(path string, a action) route {
	return route{method: http.MethodPatch, path: path, action: a}
}

// openPost is a route that scripts of any site may call. It needs a preflight
// row beside it.
func openPost(path string, a action) route {
	return route{method: http.MethodPost, path: path, action: a, open: true}
}

// hiddenGet is a route that is not there for anybody but colonels.
func hiddenGet(path string, a action) route {
	return route{method: http.MethodGet, path: path, action: a, hidden: true}
}

// forAnyone makes a route serve callers whose credential is not good, as
// strangers.
func forAnyone(r route) route {
	r.anyone = true
	return r
}

func preflight(path string) route {
	return route{method: http.MethodOptions, path: path, action: action{operation: "preflight"}}
}

// rpc joins a method with the codecs of its request and response. Codecs of
// another method do not compile.
func rpc[Req, Res any](m handlers.Method[Req, Res], decode decoder[Req], encode encoder[Res]) action {
	a := action{operation: operation[Req](), procedures: []string{m.Procedure}}
	if !strings.HasSuffix(m.Procedure, "/"+a.operation) {
		a.ready = fmt.Errorf("no procedure for %s", a.operation)
	}
	a.run = func(ctx context.Context, req *request) (any, error) {
		msg, err := decode(req)
		if err != nil {
			return nil, err
		}
		res, err := m.Call(ctx, req.header, msg)
		if err != nil {
			return nil, err
		}
		return encode(req, res), nil
	}
	return a
}

// operation is the RPC's name as its request tells it, so that tables can be
// printed where no service runs.
func operation[Req any]() string {
	message, ok := any(new(Req)).(proto.Message)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(string(message.ProtoReflect().Descriptor().Name()), "Request")
}

// apiVersion is a version of the legacy routes.
type apiVersion struct {
	prefix string
	routes []route
	fail   func(w http.ResponseWriter, req *request, v *refusal.Error)
}

// versions are the versions, oldest first.
func versions(c *handlers.Callable) []apiVersion {
	return []apiVersion{version1(c), version2(c), version3(c)}
}

// serve answers with a route.
func (t *tree) serve(v apiVersion, rt route) http.HandlerFunc {
	template := v.prefix + rt.path
	return func(w http.ResponseWriter, r *http.Request) {
		if rt.hidden && !handlers.VisitorOf(r).Colonel {
			t.notFound(w, r)
			return
		}
		handlers.Route(r, template)
		if rt.open {
			handlers.Open(r)
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		if rt.anyone {
			handlers.Anyone(r)
		}
		req := t.request(r)
		answer, err := t.run(req, r, rt.action)
		if err != nil {
			v.fail(w, req, refusal.Read(err))
			return
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

func (t *tree) request(r *http.Request) *request {
	return &request{
		key: pathKey(r), header: r.Header, links: t.links, now: t.now(),
		visitor: handlers.VisitorOf(r), catalogue: t.catalogue, newShrimp: handlers.NewShrimp,
	}
}

// run passes the gate before it reads what the request says, and acts on it.
func (t *tree) run(req *request, r *http.Request, a action) (any, error) {
	if err := t.gate(r.Context(), r.Header, a.procedures...); err != nil {
		return nil, err
	}
	return req.run(r, a)
}

func (req *request) run(r *http.Request, a action) (any, error) {
	var err error
	if req.params, err = params.Read(r, handlers.BodyLimit(r, params.MaxBody)); err != nil {
		return nil, err
	}
	shrimp, err := req.params.Text("shrimp")
	if err != nil {
		return nil, err
	}
	req.header = handlers.WithShrimp(r.Header, shrimp)
	return a.run(r.Context(), req)
}

// preflight tells browsers that scripts of other sites may call the path.
func (t *tree) preflight(template string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, template)
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization")
		h.Set("Access-Control-Max-Age", "86400")
		h.Set("Allow", "GET, POST, OPTIONS")
		writeJSON(w, http.StatusOK, struct{}{})
	}
}

// pathKey reads the path's {key} or {domain}. chi matches the escaped path if
// it differs from the plain one.
func pathKey(r *http.Request) string {
	segment := chi.URLParam(r, "key")
	if segment == "" {
		segment = chi.URLParam(r, "domain")
	}
	return unescapeKey(segment, r.URL.RawPath != "")
}
