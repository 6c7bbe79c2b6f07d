package call

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/params"
)

// Env is what all requests of one tree share. All fields but Policy are required.
type Env struct {
	Links     Links
	Catalogue *locale.Catalogue
	// Names are the parameters of all routes.
	Names params.Names
	// Policy is what the operator allows on the service's own host.
	Policy *hushv1.GetPolicyResponse
	// Clock returns the time, for relative times in responses.
	Clock func() time.Time
	// NewShrimp returns a random token, which is never checked.
	NewShrimp func() string
	// Gate is the API's gate. It decides whether a request may call one of the
	// procedures.
	Gate func(ctx context.Context, header http.Header, procedures ...string) error
	// Ready is the API's: it returns an error while the service cannot serve.
	Ready func() error
	// Accepting reports whether more requests should be sent here: not while the
	// service stops.
	Accepting func() bool
	// DiskFull reports whether the disk has too little room for new secrets.
	DiskFull func() bool
}

// Request returns r as codecs see it, before its parameters are read.
func (e *Env) Request(r *http.Request) *Request {
	key := cmp.Or(chi.URLParam(r, "key"), chi.URLParam(r, "domain"))
	if r.URL.RawPath != "" { // chi matches the escaped path if it differs from the plain one
		key = UnescapeSegment(key)
	}
	return &Request{Env: e, Key: key, Header: r.Header, Now: e.Clock(), Visitor: chain.VisitorOf(r)}
}

// Run passes the gate, reads the parameters of req from r, and runs the action.
// Its error is for refusal.Read.
func (e *Env) Run(req *Request, r *http.Request, a Action) (any, error) {
	if err := e.Gate(r.Context(), r.Header, a.Procedures...); err != nil {
		return nil, err
	}
	var err error
	if req.Params, err = e.Names.Read(r, chain.BodyLimit(r, params.MaxBody)); err != nil {
		return nil, err
	}
	shrimp, err := req.Params.Text("shrimp")
	if err != nil {
		return nil, err
	}
	req.Params = req.Params.Only(a.Fields)
	if err := req.Params.Unread(); err != nil {
		return nil, err
	}
	if err := req.Params.CutOff(); err != nil {
		return nil, err
	}
	if err := req.Params.NearMiss(); err != nil {
		return nil, err
	}
	req.Header = chain.WithShrimp(r.Header, shrimp)
	answer, err := a.Run(r.Context(), req)
	req.Visitor = chain.VisitorOf(r) // whose credential may have ended while the body came
	return answer, err
}
