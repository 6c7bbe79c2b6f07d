package chain

import (
	"errors"
	"net/http"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/refusal"
)

// errNoCaller reports a call that did not come through the middleware.
var errNoCaller = errors.New("chain: call without a caller")

// Hides reports whether something with the given access does not exist for the
// sender of r. Such a request gets the response of an unknown path.
func Hides(access hushv1.Access, r *http.Request) bool {
	return hides(access, recordFrom(r.Context()))
}

// hides reports whether something with the given access does not exist for the
// caller. What only administrators may call does not exist for anyone else. No
// other code decides this.
func hides(access hushv1.Access, record *record) bool {
	return access == hushv1.Access_ACCESS_COLONEL && (record == nil || record.refused || !record.caller.Colonel())
}

// admits returns nil if the caller may call a method with the policy.
func admits(p policy, record *record) error {
	caller := record.caller
	switch {
	case hides(p.access, record):
		return unknownProcedure()
	case record.refused:
		return refusal.ErrUnauthenticated
	case p.access == hushv1.Access_ACCESS_ACCOUNT && caller.Anonymous():
		return refusal.ErrUnauthenticated
	case p.access == hushv1.Access_ACCESS_UNSPECIFIED:
		return refusal.ErrUnauthenticated
	case !caller.May(p.scope):
		return refusal.ErrScope
	}
	return nil
}

// textUnknownProcedure is the message about a procedure that does not exist for a caller.
const textUnknownProcedure = "unknown procedure"

func unknownProcedure() error {
	return &RefusedError{Code: connect.CodeUnimplemented, Text: textUnknownProcedure}
}
