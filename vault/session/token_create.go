package session

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// GenerateAPIToken creates an API token of the caller's account. It returns the
// token, which is never shown again, and its description. The token may list
// what the caller's credential may list. If the caller came with a token, the new one
// does not outlive that, and is revoked with it. It returns ErrUnauthenticated,
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
	err = ts.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if _, err := stillGood(tx, ts.credentials, c, now); err != nil {
			return err
		}
		if record, err = credential.PutToken(tx, made, c, n.Rotate); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.Token, c.AccountID())
	})
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	ts.watches.TellAccount(c.AccountID()) // a token of the same name may have ended
	return token, record.Describe(time.Time{}), nil
}
