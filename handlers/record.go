package handlers

import (
	"context"
	"net/http"

	"connectrpc.com/connect"

	"hush/vault"
)

// record goes with a request from the middleware to the service and back: who
// calls on the way in, what became of it on the way out.
type record struct {
	caller  vault.Caller
	refused bool // a credential was sent and is not good

	route     string // template, never a path
	procedure string
	code      string
}

type recordKey struct{}

func withRecord(ctx context.Context, r *record) context.Context {
	return context.WithValue(ctx, recordKey{}, r)
}

// recordFrom returns the request's record, or nil for a call that did not come
// through the middleware.
func recordFrom(ctx context.Context) *record {
	r, _ := ctx.Value(recordKey{}).(*record)
	return r
}

// callerFrom returns who calls. Access was checked before a service runs.
func callerFrom(ctx context.Context) vault.Caller {
	if r := recordFrom(ctx); r != nil {
		return r.caller
	}
	return vault.Caller{}
}

// Route tells the request's log line which route template serves it.
func Route(r *http.Request, template string) {
	if record := recordFrom(r.Context()); record != nil {
		record.route = template
	}
}

// noteProcedure is the outermost interceptor: it leaves procedure and code for
// the request's log line.
func noteProcedure(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		res, err := next(ctx, req)
		if record := recordFrom(ctx); record != nil {
			record.procedure = req.Spec().Procedure
			record.code = "ok"
			if err != nil {
				record.code = connect.CodeOf(err).String()
			}
		}
		return res, err
	}
}
