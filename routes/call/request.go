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
	"context"
	"net/http"
	"time"

	"hush/handlers"
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
	Visitor handlers.Visitor
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

// Env is what all requests of one tree share. All fields are required.
type Env struct {
	Links     Links
	Catalogue *locale.Catalogue
	// Now is the clock that relative times in answers use.
	Now func() time.Time
	// Gate is the API's: it decides whether a request may call one of the
	// procedures.
	Gate func(ctx context.Context, header http.Header, procedures ...string) error
}

// Request returns r as codecs see it, before its parameters are read.
func (e *Env) Request(r *http.Request) *Request {
	return &Request{
		Key: pathKey(r), Header: r.Header, Links: e.Links, Now: e.Now(),
		Visitor: handlers.VisitorOf(r), Catalogue: e.Catalogue, NewShrimp: handlers.NewShrimp,
	}
}

// Run passes the gate, reads the parameters of req from r, and runs the action.
// Its error is for refusal.Read.
func (e *Env) Run(req *Request, r *http.Request, a Action) (any, error) {
	if err := e.Gate(r.Context(), r.Header, a.Procedures...); err != nil {
		return nil, err
	}
	var err error
	if req.Params, err = params.Read(r, handlers.BodyLimit(r, params.MaxBody)); err != nil {
		return nil, err
	}
	shrimp, err := req.Params.Text("shrimp")
	if err != nil {
		return nil, err
	}
	req.Header = handlers.WithShrimp(r.Header, shrimp)
	return a.Run(r.Context(), req)
}
