package routes

import (
	"net/http"

	"hush/routes/call"
	"hush/routes/refusal"
)

// route is one line of a table.
type route struct {
	method string
	path   string // below the version's prefix
	action call.Action
	open   bool // to scripts of other sites
	anyone bool // an invalid credential counts as none
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

// openPost returns a route that scripts of any site may call. It needs a
// preflight route beside it.
func openPost(path string, a call.Action) route {
	return route{method: http.MethodPost, path: path, action: a, open: true}
}

// forAnyone makes a route serve callers with an invalid credential as anonymous
// ones.
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
	fail   func(w http.ResponseWriter, req *call.Request, refused *refusal.Error)
}
