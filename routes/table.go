package routes

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"text/tabwriter"

	"hush/handlers"
)

// Row is one line of the routing table.
type Row struct {
	// Method is the HTTP method; rows for GET serve HEAD too. RPCs have *: what
	// they take depends on the protocol.
	Method string
	// Path is the template, as in /api/v1/secret/{key}.
	Path string
	// Operation is the RPC behind it, or the two that one parameter chooses
	// from, or a word for what is no RPC.
	Operation string
}

// Table lists all routes of a tree built with the API: v1, v2, v3, mounts, pages.
// With a nil API it leaves out the mounts, so that the table can be printed
// where no service runs. The rows are the caller's.
func Table(api *handlers.API) []Row {
	api = cmp.Or(api, new(handlers.API))
	var routes []Row
	for _, v := range versions(&api.Callable) {
		for _, rt := range v.routes {
			routes = append(routes, Row{rt.method, v.prefix + rt.path, rt.action.Operation})
		}
	}
	for _, mount := range api.Mounts {
		routes = append(routes, mountRows(mount)...)
	}
	routes = append(routes, pageRows(&api.Callable)...)
	return routes
}

func mountRows(mount handlers.Mount) []Row {
	if len(mount.Procedures) == 0 {
		return []Row{{"*", mount.Path + "*", "service"}}
	}
	var routes []Row
	for _, procedure := range mount.Procedures {
		routes = append(routes, Row{"*", procedure, path.Base(procedure)})
	}
	return routes
}

// WriteTable prints rows in aligned columns.
func WriteTable(w io.Writer, routes []Row) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, route := range routes {
		if _, err := fmt.Fprintf(columns, "%s\t%s\t%s\n", route.Method, route.Path, route.Operation); err != nil {
			return fmt.Errorf("printing routes: %w", err)
		}
	}
	return columns.Flush()
}
