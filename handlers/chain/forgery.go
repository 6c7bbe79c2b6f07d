package chain

import (
	"context"
	"crypto/subtle"
	"net/http"

	"connectrpc.com/connect"
)

// checkForgery refuses what another site made a browser send. A request from a
// page of another site is refused unless it may cross. A request that counts as
// a session's has to carry the session's token, and to say where it comes from.
func checkForgery(policies policies) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			record := recordFrom(ctx)
			if record == nil {
				return nil, errNoCaller
			}
			p := policies[req.Spec().Procedure]
			if err := checkOrigin(p, record, req.Header()); err != nil {
				return nil, err
			}
			if !needsShrimp(p, record) {
				return next(ctx, req)
			}
			if !SameShrimp(shrimpFrom(req.Header()), record.caller.Shrimp()) {
				return nil, errShrimp
			}
			return next(ctx, req)
		}
	}
}

// checkOrigin is the part that is known before the message is: it refuses a
// request that says that it comes from another site's page, and one of a session
// that does not say where it comes from.
func checkOrigin(p policy, record *record, header http.Header) error {
	if record.foreign && !mayCross(p, record) || needsShrimp(p, record) && !saysOrigin(header) {
		return errCrossSite
	}
	return nil
}

// mayCross reports whether a request may come from a page of another site: its
// route is open to them, where no session counts, or its method serves any
// origin, the route is not that of a form, and the request has no authority that
// a browser may have added by itself.
func mayCross(p policy, record *record) bool {
	return record.open || p.anyOrigin && !record.form && !record.ambient
}

// needsShrimp reports whether a request has to carry its session's token.
func needsShrimp(p policy, record *record) bool {
	return !record.safe && record.caller.FromSession() && !p.forgeable
}

// saysOrigin reports whether a browser said where the request comes from, as all
// supported browsers do. That it comes from this site was checked before.
func saysOrigin(header http.Header) bool {
	return header.Get("Sec-Fetch-Site") != "" || header.Get("Origin") != ""
}

// shrimpFrom reads the token from the headers that clients of several ages
// use.
func shrimpFrom(header http.Header) string {
	for _, name := range shrimpHeaders() {
		if shrimp := header.Get(name); shrimp != "" {
			return shrimp
		}
	}
	return ""
}

// shrimpHeaders are the headers that may carry the token.
func shrimpHeaders() [3]string { return [3]string{"O-Shrimp", "Onetime-Shrimp", "X-CSRF-Token"} }

// WithShrimp returns the header with the token that came as a parameter, if no
// header carries one. It leaves the argument as it is.
func WithShrimp(header http.Header, parameter string) http.Header {
	if parameter == "" || shrimpFrom(header) != "" {
		return header
	}
	header = header.Clone()
	header.Set(shrimpHeaders()[0], parameter)
	return header
}

// SameShrimp reports whether sent is own, in constant time. An empty own
// matches nothing.
func SameShrimp(sent, own string) bool {
	return own != "" && subtle.ConstantTimeCompare([]byte(sent), []byte(own)) == 1
}
