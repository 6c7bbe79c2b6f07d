package routes

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/pages"
	"hush/routes/params"
)

// Endpoint describes one route for programs that document or test the tables.
type Endpoint struct {
	// Version is the API version, such as v1; empty for pages.
	Version string
	// Method is the HTTP method; endpoints for GET serve HEAD too.
	Method string
	// Path is the template, such as /api/v1/secret/{key}.
	Path string
	// Operation is the same as in Row.
	Operation string
	// Procedures are the full names of the RPCs behind it, one of which a
	// request calls; empty if it calls none.
	Procedures []string
	// Params are the parameters in the path, the query and the body.
	Params []Param
	// Access declares who may call it; ACCESS_UNSPECIFIED if it calls no RPC.
	Access hushv1.Access
	// AnyOrigin reports whether scripts of other sites may call it.
	AnyOrigin bool
	// AnyCredential reports whether an invalid credential counts as none.
	AnyCredential bool
}

// Param is a parameter of an endpoint.
type Param struct {
	params.Field
	// In is the place of the parameter: path, query, or body, which means the
	// body or the query.
	In string
}

// Endpoints returns the routes of all versions and the pages of an API, which
// may come from handlers.Described. It leaves out RPCs over Connect, gRPC and
// gRPC-Web. The caller owns the list.
func Endpoints(api *handlers.API) []Endpoint {
	var all []Endpoint
	for _, v := range versions(api) {
		for _, rt := range v.Routes {
			e := newEndpoint(rt.Method, v.Prefix+rt.Path, rt.Action)
			e.Version, e.AnyOrigin, e.AnyCredential = strings.TrimPrefix(v.Prefix, "/api/"), rt.AnyOrigin, rt.AnyCredential
			all = append(all, e)
		}
	}
	for _, p := range pages.Routes(api) {
		all = append(all, newEndpoint(p.Method, p.Path, p.Action))
	}
	return all
}

func newEndpoint(method, path string, a call.Action) Endpoint {
	return Endpoint{
		Method: method, Path: path, Operation: a.Operation,
		Procedures: slices.Clone(a.Procedures), Params: endpointParams(method, path, a.Fields), Access: a.Access,
	}
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func endpointParams(method, path string, fields []params.Field) []Param {
	var all []Param
	for _, name := range pathParam.FindAllStringSubmatch(path, -1) {
		all = append(all, Param{params.Field{Name: name[1], Form: params.FormText, Required: true}, "path"})
	}
	in := "body"
	if method == http.MethodGet {
		in = "query"
	}
	for _, field := range fields {
		all = append(all, Param{field, in})
	}
	return all
}
