package handlers

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

// errNoCaller: a call that did not come through the middleware.
var errNoCaller = errors.New("handlers: call without a caller")

// checkAccess refuses callers whom the method's access option does not admit.
// It fails closed: an unknown procedure, a request that nobody authenticated
// and a credential that is not good are refused on public methods too.
func checkAccess(policies policies) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			p, known := policies[req.Spec().Procedure]
			if !known {
				return nil, connect.NewError(connect.CodeUnimplemented, errors.New("unknown procedure"))
			}
			record := recordFrom(ctx)
			if record == nil {
				return nil, errNoCaller
			}
			if record.refused || !admits(p.access, record.caller) {
				return nil, vault.ErrUnauthenticated
			}
			return next(ctx, req)
		}
	}
}

// admits tells whether a method with such access is for the caller.
func admits(access hushv1.Access, caller vault.Caller) bool {
	switch access {
	case hushv1.Access_ACCESS_PUBLIC:
		return true
	case hushv1.Access_ACCESS_ACCOUNT:
		return !caller.Anonymous()
	default:
		return false
	}
}
