package session

import (
	"bytes"
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// GenerateAPIToken creates an API token of the caller's account. It returns the
// token, which is never shown again, and its description. The token may list
// what the caller's credential may list. It returns ErrUnauthenticated,
// ErrScope for scopes that the caller's token lacks, InvalidError, ErrDuplicate
// or TooManyError.
func (ts *Tokens) GenerateAPIToken(ctx context.Context, c caller.Caller, n credential.NewToken) (seal.APIToken, credential.APIToken, error) {
	now := ts.clock.Now()
	pair, key, err := ts.credentials.OpenPair(c)
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	record, err := n.Draft(now)
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	if !c.May(record.Scopes) {
		return seal.APIToken{}, credential.APIToken{}, refusal.ErrScope
	}
	if err := ts.store.CheckDiskSpace(); err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	token := seal.NewAPIToken()
	made := ts.credentials.WrapToken(token, record, c.AccountID(), pair, key)
	err = ts.store.Update(ctx, func(tx storage.Tx) error {
		if err := stillGood(tx, c, now); err != nil {
			return err
		}
		if err := credential.PutToken(tx, made, n.Rotate); err != nil {
			return err
		}
		return rows.WriteAccountAudit(tx, now, rows.AuditToken, c.AccountID())
	})
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	ts.others.Changed(c.AccountID()) // a token of the same name may have ended
	return token, record.Describe(time.Time{}), nil
}

// stillGood returns ErrUnauthenticated if the caller's credential has ended
// since it was authenticated, so that a revoked one cannot create a successor.
func stillGood(tx storage.Tx, c caller.Caller, now time.Time) error {
	if _, err := account.UsableAccount(tx, c.AccountID()); err != nil {
		return err
	}
	if c.FromSession() {
		_, err := credential.GetSession(tx, c.Row())
		if errors.Is(err, refusal.ErrNotFound) {
			return refusal.ErrUnauthenticated
		}
		return err
	}
	tokens, err := credential.GetTokens(tx, c.AccountID())
	if err != nil {
		return err
	}
	for _, t := range tokens {
		// Each token's wrapped key is unique, so it identifies the token.
		if bytes.Equal(t.Record.Wrapped, c.Key().Wrapped) && !t.Record.Expired(now) {
			return nil
		}
	}
	return refusal.ErrUnauthenticated
}
