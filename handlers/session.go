package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

// SessionService is hush.v1.SessionService.
type SessionService struct{}

// Authcheck names the caller's account.
func (*SessionService) Authcheck(ctx context.Context, _ *hushv1.AuthcheckRequest) (*hushv1.AuthcheckResponse, error) {
	caller := callerFrom(ctx)
	if caller.Anonymous() {
		return nil, vault.ErrUnauthenticated
	}
	return &hushv1.AuthcheckResponse{Custid: caller.Account}, nil
}
