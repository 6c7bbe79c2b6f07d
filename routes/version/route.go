package version

import (
	"net/http"

	"hush/routes/call"
)

// Route is one line of a version's table.
type Route struct {
	// Method is the HTTP method; a route for GET serves HEAD too.
	Method string
	// Path is the template below the version's prefix, such as /secret/{key}.
	Path   string
	Action call.Action
	// AnyOrigin opens the route to scripts of other sites.
	AnyOrigin bool
	// AnyCredential makes an invalid credential count as none.
	AnyCredential bool
}

// Get returns a route for the method GET.
func Get(path string, a call.Action) Route {
	return Route{Method: http.MethodGet, Path: path, Action: a}
}

// Post returns a route for the method POST.
func Post(path string, a call.Action) Route {
	return Route{Method: http.MethodPost, Path: path, Action: a}
}

// Put returns a route for the method PUT.
func Put(path string, a call.Action) Route {
	return Route{Method: http.MethodPut, Path: path, Action: a}
}

// Delete returns a route for the method DELETE.
func Delete(path string, a call.Action) Route {
	return Route{Method: http.MethodDelete, Path: path, Action: a}
}

// Patch returns a route for the method PATCH.
func Patch(path string, a call.Action) Route {
	return Route{Method: http.MethodPatch, Path: path, Action: a}
}

// OpenPost returns a route that scripts of any site may call. It needs a
// preflight route beside it.
func OpenPost(path string, a call.Action) Route {
	return Route{Method: http.MethodPost, Path: path, Action: a, AnyOrigin: true}
}

// ForAnyone makes a route serve callers with an invalid credential as anonymous
// ones.
func ForAnyone(r Route) Route {
	r.AnyCredential = true
	return r
}

// Preflight returns the route that tells browsers that scripts of other sites may call
// the path.
func Preflight(path string) Route {
	return Route{Method: http.MethodOptions, Path: path, Action: call.Action{Operation: "preflight"}}
}
