package session

import (
	"context"
	"slices"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// DestroySession signs out: it ends the caller's session. It returns
// ErrUnauthenticated for a caller without an account and ErrPolicy for one with
// another kind of credential. A session that has already ended is not an error.
func (se *Sessions) DestroySession(ctx context.Context, c caller.Caller) error {
	if c.Anonymous() {
		return refusal.ErrUnauthenticated
	}
	if !c.FromSession() {
		return &caller.PolicyError{Text: "There is no session to end: this call came with an API token."}
	}
	row := c.Row()
	_, err := se.endSome(ctx, c.AccountID(), func(s credential.OwnSession) bool { return s.Row == row })
	return err
}

// RevokeSessions ends sessions of the caller's account and returns how many:
// those with the given ids, ignoring unknown ones, or all, including the
// caller's own. Later requests with them are refused. It returns
// ErrUnauthenticated for a caller without an account.
func (se *Sessions) RevokeSessions(ctx context.Context, c caller.Caller, ids []string, all bool) (int, error) {
	if c.Anonymous() {
		return 0, refusal.ErrUnauthenticated
	}
	return se.endSome(ctx, c.AccountID(), func(s credential.OwnSession) bool {
		return all || slices.Contains(ids, s.Record.ID.String())
	})
}

// endSome ends the sessions of an account that meant accepts, and returns how
// many of them were still valid.
func (se *Sessions) endSome(ctx context.Context, id caller.AccountID, meant func(credential.OwnSession) bool) (ended int, err error) {
	now := se.clock.Now()
	found := func(tx *rows.Tx) ([]credential.OwnSession, error) {
		owned, err := credential.GetSessions(tx, id)
		return slices.DeleteFunc(owned, func(s credential.OwnSession) bool { return !meant(s) }), err
	}
	var list []credential.OwnSession
	err = se.store.View(ctx, func(tx *rows.Tx) (err error) {
		list, err = found(tx)
		return err
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	err = se.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		ended = 0
		list, err := found(tx)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, s := range list {
			if se.credentials.Lasts(s, now) {
				ended++
			}
			if err := spent.Note(tx, spent.KindSessionEnded, s.Row[:], now); err != nil {
				return err
			}
			if err := credential.DeleteSession(tx, s); err != nil {
				return err
			}
		}
		return audit.WriteAccount(tx, now, audit.SessionsRevoked, id)
	})
	if err != nil {
		return 0, err
	}
	se.watches.TellAccount(id)
	return ended, nil
}
