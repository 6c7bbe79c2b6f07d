package chain

import (
	"context"
	"net/http"
	"time"

	"hush/locale"
	"hush/vault/caller"
)

// record accompanies a request from the middleware to the service and back: on
// the way in it has the caller, on the way out the result and the cookies of
// the response.
type record struct {
	caller    caller.Caller
	refused   bool          // the credential is invalid
	broken    error         // the credential could not be checked
	safe      bool          // the HTTP method changes nothing
	anyone    bool          // the route takes an invalid credential for none
	home      bool          // it was sent to the service's own host
	foreign   bool          // a browser sent it from a page of another site
	named     bool          // that site is one that the operator named
	ambient   bool          // its authority may have been added by the browser
	crossSite bool          // the route also serves pages of other sites
	form      bool          // the route takes only forms of the service's own pages
	locale    locale.Locale // of the response
	admission admission     // by the gate
	mayEnd    bool          // it may end a secret
	part      bool          // it sends or fetches a part of a file
	body      *body         // nil without one
	most      int64         // maximum bytes of the body; 0 means any number
	packed    bool          // its messages may be compressed
	probe     bool          // it asks only how the service is
	whole     bool          // its response is written at once

	route     string // template, never a path
	procedure string
	code      string
	limit     string                   // that refused the request; empty if none did
	agent     string                   // how the caller's program describes itself
	cookies   cookies                  // of the response
	control   *http.ResponseController // of a stream's response; nil for other calls
	every     time.Duration            // after which tell is called while a response is taken
	tell      func()                   // nil for nothing
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

// CallerFrom returns the caller. Access was checked before a service runs.
func CallerFrom(ctx context.Context) caller.Caller {
	if r := recordFrom(ctx); r != nil {
		return r.caller
	}
	return caller.Caller{}
}

// LocaleFrom returns the language of the response.
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

// Probe is Route for a request of a supervisor or a balancer, which come by the
// second. One that succeeds is logged at debug level.
func Probe(r *http.Request, template string) {
	if record := recordFrom(r.Context()); record != nil {
		record.route, record.probe = template, true
	}
}

// Open marks the request's route as open to pages of other sites. A request
// from such a page never counts as a session's.
func Open(r *http.Request) {
	if record := recordFrom(r.Context()); record != nil {
		record.crossSite = true
	}
}

// Anyone makes the request's route ignore an invalid credential: the caller
// counts as anonymous.
func Anyone(r *http.Request) {
	if record := recordFrom(r.Context()); record != nil {
		record.anyone, record.refused, record.broken = true, false, nil
	}
}

// BodyLimit returns the maximum bytes of a legacy request's body: most, or less
// for a request that may end a secret.
func BodyLimit(r *http.Request, most int64) int64 {
	if record := recordFrom(r.Context()); record != nil && record.mayEnd {
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

// Visitor is what a response's frame needs to know of the caller.
type Visitor struct {
	// Custid is the account's address; empty for anonymous callers.
	Custid string
	// Shrimp is the session's token against forged requests; empty for callers
	// without a session.
	Shrimp string
	// Locale is the language of the response.
	Locale locale.Locale
}

// VisitorOf returns the sender of a request as the middleware identified it. A
// sign-in during the request does not change it.
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
