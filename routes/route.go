package routes

import (
	"net/http"

	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
)

// route is one line of a table.
type route struct {
	method string
	path   string // below the version's prefix
	action call.Action
	open   bool // to scripts of other sites
	hidden bool // from everybody but colonels
	anyone bool // a credential that is not good counts as none
}

func get(path string, a call.Action) route {
	return route{method: http.MethodGet, path: path, action: a}
}

func post(path string, a call.Action) route {
	return route{method: http.MethodPost, path: path, action: a}
}

func put(path string, a call.Action) route {
	return route{method: http.MethodPut, path: path, action: a}
}

func remove(path string, a call.Action) route {
	return route{method: http.MethodDelete, path: path, action: a}
}

func patch(path string, a call.Action) route {
	return route{method: http.MethodPatch, path: path, action: a}
}

// openPost is a route that scripts of any site may call. It needs a preflight
// row beside it.
func openPost(path string, a call.Action) route {
	return route{method: http.MethodPost, path: path, action: a, open: true}
}

// hiddenGet is a route that is not there for anybody but colonels.
func hiddenGet(path string, a call.Action) route {
	return route{method: http.MethodGet, path: path, action: a, hidden: true}
}

// forAnyone makes a route serve callers whose credential is not good, as
// strangers.
func forAnyone(r route) route {
	r.anyone = true
	return r
}

func preflight(path string) route {
	return route{method: http.MethodOptions, path: path, action: call.Action{Operation: "preflight"}}
}

// apiVersion is a version of the legacy routes.
type apiVersion struct {
	prefix string
	routes []route
	fail   func(w http.ResponseWriter, req *call.Request, v *refusal.Error)
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
		req := t.env.Request(r)
		answer, err := t.env.Run(req, r, rt.action)
		if err != nil {
			v.fail(w, req, refusal.Read(err))
			return
		}
		writeJSON(w, http.StatusOK, answer)
	}
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
