package session

import (
	"context"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
)

// ListSessions lists the sessions of the caller's account, newest first, and
// marks the caller's own. It returns ErrUnauthenticated for a caller without an
// account.
func (se *Sessions) ListSessions(ctx context.Context, c caller.Caller) ([]credential.Session, error) {
	if c.Anonymous() {
		return nil, refusal.ErrUnauthenticated
	}
	return se.credentials.ListSessions(ctx, c.AccountID(), c.SessionRow())
}
