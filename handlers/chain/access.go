package chain

import (
	"errors"
	"net/http"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// errNoCaller: a call that did not come through the middleware.
var errNoCaller = errors.New("chain: call without a caller")

// Hides reports whether what has an access does not exist for the sender of r.
// Whatever Hides is answered like a path that was never there.
func Hides(access hushv1.Access, r *http.Request) bool {
	return hides(access, recordFrom(r.Context()))
}

// hides is the one rule on what is for administrators: for all others it does
// not exist.
func hides(access hushv1.Access, record *record) bool {
	return access == hushv1.Access_ACCESS_COLONEL && (record == nil || record.refused || !record.caller.Colonel())
}

// admits returns nil if a method is for the caller.
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
	case !caller.May(scopeOf(p.scope)):
		return refusal.ErrScope
	}
	return nil
}

func unknownProcedure() error {
	return connect.NewError(connect.CodeUnimplemented, errors.New("unknown procedure"))
}

// scopeOf is what a token needs for a method of that scope.
func scopeOf(scope hushv1.Scope) caller.Scopes {
	switch scope {
	case hushv1.Scope_SCOPE_ANY:
		return 0
	case hushv1.Scope_SCOPE_CONCEAL:
		return caller.ScopeConceal
	case hushv1.Scope_SCOPE_REVEAL:
		return caller.ScopeReveal
	case hushv1.Scope_SCOPE_METADATA:
		return caller.ScopeMetadata
	default:
		return caller.ScopeAccount
	}
}
