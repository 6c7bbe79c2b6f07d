// Package version is what the versions of the API have in common: the rows of their
// tables, the parameters of the routes about secrets and receipts, and the words and the
// JSON of their responses.
//
// It promises that what two versions take or show alike is written once. A package of a
// version has what is its own: which rows there are, and the form of its responses and
// refusals. Package routes serves the rows.
package version

import (
	"net/http"

	"hush/routes/call"
	"hush/routes/refusal"
)

// Version is a version of the API. Versions are built once and not changed.
type Version struct {
	// Prefix is the beginning of its paths, such as /api/v1.
	Prefix string
	Routes []Route
	// Fail writes a refusal in the version's form.
	Fail func(w http.ResponseWriter, req *call.Request, refused *refusal.Error)
}
