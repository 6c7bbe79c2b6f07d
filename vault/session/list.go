package session

import (
	"context"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
)

// ListSessions lists the sessions of the caller's account, newest first, and
// tells which is the caller's own. Callers without an account get
// ErrUnauthenticated.
func (se *Sessions) ListSessions(ctx context.Context, c caller.Caller) ([]credential.Session, error) {
	if c.Credential == nil {
		return nil, refusal.ErrUnauthenticated
	}
	return se.credentials.ListSessions(ctx, c.Credential.ID, c.Credential.Session)
}
