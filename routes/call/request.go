// Package call makes calls of RPCs out of legacy requests. An Action is what a
// route does: it decodes a Request into the message of one RPC, calls the very
// method that RPC clients call, behind the same chain of interceptors, and
// encodes what it returns.
//
// It promises that the gate is asked before anything of a body is read, that
// codecs of another method do not compile, and that a decoder's refusal never
// reaches the RPC. The tables of routes and the pages build their actions here;
// nothing else in routes touches a method of the services.
package call

import (
	"net/http"
	"time"

	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/params"
	"hush/routes/refusal"
)

// Request is one request on its way through a route, with what its codecs need.
type Request struct {
	// Key is the key or the domain in the path as it was sent, empty for routes
	// without one.
	Key string
	// Params is what the request says besides; Env.Run reads it.
	Params params.Params
	// Header is the request's, for the RPC.
	Header http.Header
	// Links builds the addresses that answers hold.
	Links Links
	// Now is when the request came.
	Now time.Time
	// Visitor is who sent the request.
	Visitor chain.Visitor
	// Catalogue holds the messages in every language.
	Catalogue *locale.Catalogue
	// NewShrimp returns a token that validates nothing.
	NewShrimp func() string
}

// Shrimp returns the session's token against forged requests, or for callers
// without a session one that validates nothing.
func (req *Request) Shrimp() string {
	if req.Visitor.Shrimp != "" {
		return req.Visitor.Shrimp
	}
	return req.NewShrimp()
}

// Text returns a message of the catalogue in the caller's language.
func (req *Request) Text(key string, args ...string) string {
	return req.Catalogue.Text(req.Visitor.Locale, key, args...)
}

// Reason returns the HTTP status of a refusal and its text in the caller's
// language.
func (req *Request) Reason(refused *refusal.Error) (status int, text string) {
	return refused.Localized(req.Catalogue, req.Visitor.Locale)
}
