package vault

import (
	"bytes"
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

// GenerateAPIToken makes an API token of the caller's account and returns it,
// the only time that anybody sees it, with what is told of it later. What the
// caller's credential may list, the token may, too. Its errors are
// ErrUnauthenticated, ErrScope for a token that asks for more than it may
// itself, InvalidError, ErrDuplicate and TooManyError.
func (v *Vault) GenerateAPIToken(ctx context.Context, c Caller, n NewToken) (seal.APIToken, APIToken, error) {
	now := v.clock.now()
	pair, key, err := v.openPair(c)
	if err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	record, err := n.draft(now)
	if err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	if !c.May(record.scopes) {
		return seal.APIToken{}, APIToken{}, ErrScope
	}
	if err := v.checkRoom(); err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	token := seal.NewAPIToken()
	made := v.wrapToken(token, record, c.with.id, pair, key)
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		if err := stillGood(tx, c, now); err != nil {
			return err
		}
		if err := putToken(tx, made, n.Rotate); err != nil {
			return err
		}
		return auditAccount(tx, now, AuditToken, c.with.id)
	})
	if err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	v.watches.tellAccount(c.with.id) // a token of the same name may have ended
	return token, record.describe(time.Time{}), nil
}

// wrapToken completes a token's record: it will hold that pair of that
// account.
func (v *Vault) wrapToken(token seal.APIToken, r *tokenRecord, id AccountID, pair pairID, key seal.AccountKey) ownToken {
	r.account, r.pair = id, pair
	r.wrapped = v.keys.WrapAccountKey(token.Holder(), wrapLabel(id, pair, heldByToken), key)
	return ownToken{token.Row(), r}
}

// stillGood returns ErrUnauthenticated if the caller's credential ended since
// it was shown, so that what is revoked makes no successor.
func stillGood(tx storage.Tx, c Caller, now time.Time) error {
	if _, err := usableAccount(tx, c.with.id); err != nil {
		return err
	}
	if c.with.session != nil {
		_, err := getSession(tx, *c.with.session)
		if errors.Is(err, ErrNotFound) {
			return ErrUnauthenticated
		}
		return err
	}
	tokens, err := getTokens(tx, c.with.id)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		// Each token's wrapped key is its own, so it tells which one it is.
		if bytes.Equal(t.record.wrapped, c.with.wrapped) && !t.record.expired(now) {
			return nil
		}
	}
	return ErrUnauthenticated
}

// importToken adds a token that was made elsewhere, with a pair of its own:
// ErrDuplicate if there is that token or one of that name, TooManyError if no
// more may be added.
func (v *Vault) importToken(tx storage.Tx, id AccountID, token seal.APIToken, name string, scopes Scopes, now time.Time) error {
	_, err := getToken(tx, token.Row())
	if err == nil {
		return ErrDuplicate
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	record, err := NewToken{Name: name, Scopes: scopes}.draft(now)
	if err != nil {
		return err
	}
	key, pair := seal.NewAccountKey(), newPairID()
	return putTokenPair(tx, v.wrapToken(token, record, id, pair, key), key, false)
}

// putTokenPair adds a token together with the pair that it alone holds.
func putTokenPair(tx storage.Tx, t ownToken, key seal.AccountKey, rotate bool) error {
	id := t.record.account
	if err := putPair(tx, id, t.record.pair, &pairRecord{created: t.record.created, public: key.Public()}); err != nil {
		return err
	}
	if err := putToken(tx, t, rotate); err != nil {
		return err
	}
	return checkRoom(tx, id)
}
