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

// GenerateAPIToken makes an API token of the caller's account and returns it,
// the only time that anybody sees it, with what is told of it later. What the
// caller's credential may list, the token may, too. Its errors are
// ErrUnauthenticated, ErrScope for a token that asks for more than it may
// itself, InvalidError, ErrDuplicate and TooManyError.
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
	made := ts.credentials.WrapToken(token, record, c.Credential.ID, pair, key)
	err = ts.store.Update(ctx, func(tx storage.Tx) error {
		if err := stillGood(tx, c, now); err != nil {
			return err
		}
		if err := credential.PutToken(tx, made, n.Rotate); err != nil {
			return err
		}
		return rows.WriteAccountAudit(tx, now, rows.AuditToken, c.Credential.ID)
	})
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	ts.others.Changed(c.Credential.ID) // a token of the same name may have ended
	return token, record.Describe(time.Time{}), nil
}

// stillGood returns ErrUnauthenticated if the caller's credential ended since
// it was shown, so that what is revoked makes no successor.
func stillGood(tx storage.Tx, c caller.Caller, now time.Time) error {
	if _, err := account.UsableAccount(tx, c.Credential.ID); err != nil {
		return err
	}
	if c.Credential.Session != nil {
		_, err := credential.GetSession(tx, *c.Credential.Session)
		if errors.Is(err, refusal.ErrNotFound) {
			return refusal.ErrUnauthenticated
		}
		return err
	}
	tokens, err := credential.GetTokens(tx, c.Credential.ID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		// Each token's wrapped key is its own, so it tells which one it is.
		if bytes.Equal(t.Record.Wrapped, c.Credential.Wrapped) && !t.Record.Expired(now) {
			return nil
		}
	}
	return refusal.ErrUnauthenticated
}
