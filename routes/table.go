package routes

import (
	"fmt"
	"io"
	"path"
	"text/tabwriter"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/pages"
	v1 "hush/routes/v1"
	v2 "hush/routes/v2"
	"hush/routes/version"
)

// Unknown is the template of requests that no row of the table serves.
const Unknown = chain.RouteUnknown

// Row is one line of the routing table.
type Row struct {
	// Method is the HTTP method; rows for GET serve HEAD too. RPCs have *: the
	// protocol decides.
	Method string
	// Path is the template, such as /api/v1/secret/{key}.
	Path string
	// Operation is the RPC behind it, or the two that a parameter chooses from,
	// or a word for something else, such as page.
	Operation string
}

// Table returns all routes of a tree with the API: v1, v2, v3, mounts, pages.
// It can be printed without a running service; see handlers.Described. The caller owns
// the rows.
func Table(api *handlers.API) []Row {
	var rows []Row
	for _, v := range versions(api) {
		for _, rt := range v.Routes {
			rows = append(rows, Row{rt.Method, v.Prefix + rt.Path, rt.Action.Operation})
		}
	}
	for _, mount := range api.Mounts {
		rows = append(rows, mountRows(mount)...)
	}
	for _, p := range pages.Routes(api) {
		rows = append(rows, Row{p.Method, p.Path, p.Action.Operation})
	}
	return rows
}

func mountRows(mount chain.Mount) []Row {
	if len(mount.Procedures) == 0 {
		return []Row{{"*", mount.Path + "*", "service"}}
	}
	var rows []Row
	for _, procedure := range mount.Procedures {
		rows = append(rows, Row{"*", procedure, path.Base(procedure)})
	}
	return rows
}

// WriteTable writes rows in aligned columns.
func WriteTable(w io.Writer, rows []Row) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintf(columns, "%s\t%s\t%s\n", row.Method, row.Path, row.Operation); err != nil {
			return fmt.Errorf("printing routes: %w", err)
		}
	}
	return columns.Flush()
}

// versions returns the versions of the API, oldest first.
func versions(api *handlers.API) []version.Version {
	return []version.Version{v1.Version(api), v2.Version(api), v2.Version3(api)}
}
