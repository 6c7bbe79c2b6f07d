package session

import (
	"context"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
)

// ListAPITokens lists the tokens of the caller's account, oldest first. It
// returns ErrUnauthenticated for a caller without an account.
func (ts *Tokens) ListAPITokens(ctx context.Context, c caller.Caller) ([]credential.APIToken, error) {
	if c.Anonymous() {
		return nil, refusal.ErrUnauthenticated
	}
	return ts.credentials.ListTokens(ctx, c.AccountID())
}

// RevokeAPIToken ends a token of the caller's account; later requests with it
// are refused. It returns ErrNotFound if the account has no such token, and
// ErrUnauthenticated for a caller without an account.
func (ts *Tokens) RevokeAPIToken(ctx context.Context, c caller.Caller, id string) error {
	if c.Anonymous() {
		return refusal.ErrUnauthenticated
	}
	_, err := ts.credentials.RevokeToken(ctx, c.AccountID(), credential.TokenID(id))
	return err
}
