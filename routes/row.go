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
)

// exchange is one request on its way through a row, with what its codecs need.
type exchange struct {
	key     string // of the path, as it was sent; empty for rows without
	params  params
	header  http.Header
	links   links
	now     time.Time
	visitor handlers.Visitor
	words   *locale.Catalogue
	drawn   func() string // answers a token that validates nothing
}

// shrimp is the session's token against forged requests, or for callers
// without a session one that validates nothing.
func (x *exchange) shrimp() string {
	if x.visitor.Shrimp != "" {
		return x.visitor.Shrimp
	}
	return x.drawn()
}

// text is a message of the catalogue in the caller's language.
func (x *exchange) text(key string, args ...string) string {
	return x.words.Text(x.visitor.Locale, key, args...)
}

// decoder makes an RPC's request out of parameters. Its error is a *fault.
type decoder[Req any] func(*exchange) (*Req, error)

// encoder makes the legacy answer, ready for JSON, out of an RPC's response.
type encoder[Res any] func(*exchange, *Res) any

// action is what a row does: one RPC, or a choice between two.
type action struct {
	operation string // the RPC's name
	// procedures are the RPCs that it may call; none for what calls none.
	procedures []string
	ready      error // why it cannot be served
	run        func(ctx context.Context, x *exchange) (any, error)
}

// row is one line of a table.
type row struct {
	method string
	path   string // below the version's prefix
	action action
	open   bool // to scripts of other sites
	hidden bool // from everybody but colonels
	anyone bool // a credential that is not good counts as none
}

func get(path string, a action) row {
	return row{method: http.MethodGet, path: path, action: a}
}

func post(path string, a action) row {
	return row{method: http.MethodPost, path: path, action: a}
}

func put(path string, a action) row {
	return row{method: http.MethodPut, path: path, action: a}
}

func remove(path string, a action) row {
	return row{method: http.MethodDelete, path: path, action: a}
}

func patch(path string, a action) row {
	return row{method: http.MethodPatch, path: path, action: a}
}

// openPost is a row that scripts of any site may call. It needs a preflight
// row beside it.
func openPost(path string, a action) row {
	return row{method: http.MethodPost, path: path, action: a, open: true}
}

// hiddenGet is a row that is not there for anybody but colonels.
func hiddenGet(path string, a action) row {
	return row{method: http.MethodGet, path: path, action: a, hidden: true}
}

// forAnyone makes a row serve callers whose credential is not good, as
// strangers.
func forAnyone(r row) row {
	r.anyone = true
	return r
}

func preflight(path string) row {
	return row{method: http.MethodOptions, path: path, action: action{operation: "preflight"}}
}

// rpc joins a method with the codecs of its request and response. Codecs of
// another method do not compile.
func rpc[Req, Res any](m handlers.Method[Req, Res], decode decoder[Req], encode encoder[Res]) action {
	a := action{operation: operation[Req](), procedures: []string{m.Procedure}}
	if !strings.HasSuffix(m.Procedure, "/"+a.operation) {
		a.ready = fmt.Errorf("no procedure for %s", a.operation)
	}
	a.run = func(ctx context.Context, x *exchange) (any, error) {
		req, err := decode(x)
		if err != nil {
			return nil, err
		}
		res, err := m.Call(ctx, x.header, req)
		if err != nil {
			return nil, err
		}
		return encode(x, res), nil
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

// family is a version of the legacy routes.
type family struct {
	prefix string
	rows   []row
	fail   func(w http.ResponseWriter, x *exchange, f *fault)
}

// families are the versions, oldest first.
func families(c *handlers.Callable) []family {
	return []family{v1Family(c), v2Family(c), v3Family(c)}
}

// serve answers with a row.
func (t *tree) serve(f family, rw row) http.HandlerFunc {
	template := f.prefix + rw.path
	return func(w http.ResponseWriter, r *http.Request) {
		if rw.hidden && !handlers.VisitorOf(r).Colonel {
			t.notFound(w, r)
			return
		}
		handlers.Route(r, template)
		if rw.open {
			handlers.Open(r)
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		if rw.anyone {
			handlers.Anyone(r)
		}
		x := t.exchange(r)
		answer, err := t.run(x, r, rw.action)
		if err != nil {
			f.fail(w, x, readFault(err))
			return
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

func (t *tree) exchange(r *http.Request) *exchange {
	return &exchange{
		key: pathKey(r), header: r.Header, links: t.links, now: t.now(),
		visitor: handlers.VisitorOf(r), words: t.words, drawn: handlers.NewShrimp,
	}
}

// run passes the gate before it reads what the request says, and acts on it.
func (t *tree) run(x *exchange, r *http.Request, a action) (any, error) {
	if err := t.gate(r.Context(), r.Header, a.procedures...); err != nil {
		return nil, err
	}
	return x.run(r, a)
}

func (x *exchange) run(r *http.Request, a action) (any, error) {
	var err error
	if x.params, err = readParams(r); err != nil {
		return nil, err
	}
	shrimp, err := x.params.text("shrimp")
	if err != nil {
		return nil, err
	}
	x.header = handlers.WithShrimp(r.Header, shrimp)
	return a.run(r.Context(), x)
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
