// Package call turns legacy requests into calls of RPCs. An Action is what a
// route does: it decodes a Request into the message of one RPC, calls the same
// method as RPC clients, behind the same chain, and encodes the
// result.
//
// It promises that the gate decides before anything of a body is read, that
// codecs of another method do not compile, and that a request that a decoder
// refuses never reaches the RPC. The tables of routes and the pages build their
// actions here; nothing else in routes touches a method of the services.
package call

import (
	"net/http"
	"time"

	"hush/handlers/chain"
	"hush/routes/params"
	"hush/routes/refusal"
)

// Request is a request in a route, with what its codecs need.
type Request struct {
	*Env

	// Key is the key or the domain in the path as sent; empty for routes
	// without one.
	Key string
	// Params are the other parameters of the request; Env.Run reads them.
	Params params.Params
	// Header is the request's header, for the RPC.
	Header http.Header
	// Now is when the request was received.
	Now time.Time
	// Visitor is the sender of the request.
	Visitor chain.Visitor
}

// Shrimp returns the session's token against forged requests. Without a session
// it returns a random one, which is never checked.
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
