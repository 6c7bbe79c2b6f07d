package chain

import (
	"context"
	"net/http"

	"connectrpc.com/connect"

	"hush/locale"
	"hush/vault/caller"
)

// record goes with a request from the middleware to the service and back: who
// calls on the way in, what became of it and which cookies the answer sets on
// the way out.
type record struct {
	caller  caller.Caller
	refused bool          // a credential was sent and is not good
	broken  error         // whether it is good could not be found out
	safe    bool          // the HTTP method changes nothing
	home    bool          // it was sent to the service's own host
	foreign bool          // a browser sent it from a page of another site
	ambient bool          // it has authority that a browser may have added by itself
	open    bool          // the route is for pages of other sites, too
	form    bool          // the route takes the forms of the service's own pages alone
	locale  locale.Locale // of the answer
	passage passage       // through the gate
	opens   bool          // it may end a secret
	body    *body         // nil without one
	most    int64         // bytes that are read of it; 0 for any number
	packed  bool          // its messages may be compressed

	route     string // template, never a path
	procedure string
	code      string
	header    http.Header              // of the answer
	control   *http.ResponseController // of a stream's answer; nil for other calls
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

// CallerFrom returns who calls. Access was checked before a service runs.
func CallerFrom(ctx context.Context) caller.Caller {
	if r := recordFrom(ctx); r != nil {
		return r.caller
	}
	return caller.Caller{}
}

// LocaleFrom returns the language of the answer.
func LocaleFrom(ctx context.Context) locale.Locale {
	if r := recordFrom(ctx); r != nil && r.locale != "" {
		return r.locale
	}
	return locale.English
}

// Route sets the route template of the request's log line.
func Route(r *http.Request, template string) {
	if record := recordFrom(r.Context()); record != nil {
		record.route = template
	}
}

// Open marks the request's route as open to pages of other sites. Their
// requests bring no session.
func Open(r *http.Request) {
	if record := recordFrom(r.Context()); record != nil {
		record.open = true
	}
}

// Anyone makes the request's route ignore an invalid credential: the caller
// counts as anonymous.
func Anyone(r *http.Request) {
	if record := recordFrom(r.Context()); record != nil {
		record.refused, record.broken = false, nil
	}
}

// BodyLimit returns the most bytes of a legacy request's body: most, or less for
// a request that may end a secret.
func BodyLimit(r *http.Request, most int64) int64 {
	if record := recordFrom(r.Context()); record != nil && record.opens {
		return min(most, openingLimit)
	}
	return most
}

// Form marks the request's route as one that accepts forms of the service's own
// pages only.
func Form(r *http.Request) {
	if record := recordFrom(r.Context()); record != nil {
		record.form = true
	}
}

// Visitor is what an answer's frame needs to know of the caller.
type Visitor struct {
	// Custid is the account's address; empty for anonymous callers.
	Custid string
	// Shrimp is the session's token against forged requests; empty for callers
	// without a session.
	Shrimp string
	// Locale is the language of the answer.
	Locale locale.Locale
}

// VisitorOf returns who asks, as the middleware found out. After a sign-in in
// the same request it is still who asked.
func VisitorOf(r *http.Request) Visitor {
	record := recordFrom(r.Context())
	if record == nil {
		return Visitor{Locale: locale.English}
	}
	return Visitor{
		Custid: record.caller.Address(), Shrimp: record.caller.Shrimp(),
		Locale: record.locale,
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
