// Package handlers carries calls from the wire to the vault and back: one
// struct a service, one chain of interceptors around all of them, one place
// that says who calls, and one table that turns the vault's errors into codes.
// Nothing reaches the vault past that chain, whatever the protocol.
package handlers

import "net/http"

// Mount is a service at its path, ready for an http.Handler tree.
type Mount struct {
	// Path ends in a slash, as in "/hush.v1.SecretService/".
	Path    string
	Handler http.Handler
}

// API is the whole set of services.
type API struct {
	// Callable holds the RPCs for the legacy routes.
	Callable Callable
	// Mounts holds the same RPCs as Connect, gRPC and gRPC-Web handlers, with
	// health and reflection beside them.
	Mounts []Mount
	// Middleware wraps the whole tree: it says who calls (Caller and
	// network), keeps the record that becomes the request's log line, and
	// drains what is left of a refused body.
	Middleware func(http.Handler) http.Handler
}

// Route tells the request's log line which route template serves it.
func Route(r *http.Request, template string) {}
