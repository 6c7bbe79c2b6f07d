package vault

import (
	"context"
	"errors"
	"strings"
	"time"

	"hush/seal"
	"hush/storage"
)

// CreateToken makes an API token of an account, named by its address or id,
// without its password: the token lists what is shared after it was made. It
// works as soon as the account can be used. Its errors are those of
// GenerateAPIToken, and ErrNotFound for an unknown account.
func (o Operator) CreateToken(ctx context.Context, account Text, n NewToken) (seal.APIToken, APIToken, error) {
	now := o.v.clock.now()
	if strings.TrimSpace(n.Name) == "" {
		n.Name = "token-" + seal.RandomHex(4)
	}
	record, err := n.draft(now)
	if err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	id, err := o.find(ctx, account)
	if err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	token, key := seal.NewAPIToken(), seal.NewAccountKey()
	made := o.v.wrapToken(token, record, id, newPairID(), key)
	err = o.v.store.Update(ctx, func(tx storage.Tx) error {
		if _, _, err := o.v.resolveAccount(tx, Text(id.String())); err != nil {
			return err
		}
		if err := putTokenPair(tx, made, key, n.Rotate); err != nil {
			return err
		}
		return auditAccount(tx, now, AuditToken, id)
	})
	if err != nil {
		return seal.APIToken{}, APIToken{}, err
	}
	o.v.watches.tellAccount(id)
	return token, record.describe(time.Time{}), nil
}

// ListTokens lists the tokens of an account, oldest first, or returns
// ErrNotFound.
func (o Operator) ListTokens(ctx context.Context, account Text) ([]APIToken, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return nil, err
	}
	return o.v.listTokens(ctx, id)
}

// ListSessions lists the sessions of an account, newest first, or returns
// ErrNotFound.
func (o Operator) ListSessions(ctx context.Context, account Text) ([]Session, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return nil, err
	}
	return o.v.listSessions(ctx, id, nil)
}

// RevokeToken ends the token of an account that has the id, or else the name,
// and returns what it was. It returns ErrNotFound if there is no such account
// or token.
func (o Operator) RevokeToken(ctx context.Context, account Text, token string) (APIToken, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return APIToken{}, err
	}
	ended, err := o.v.revokeToken(ctx, id, func(r *tokenRecord) bool { return r.id.String() == token })
	if !errors.Is(err, ErrNotFound) {
		return ended, err
	}
	name := strings.TrimSpace(token)
	return o.v.revokeToken(ctx, id, func(r *tokenRecord) bool { return r.name == name })
}

// find returns the id of the account that the operator names.
func (o Operator) find(ctx context.Context, account Text) (id AccountID, err error) {
	err = o.v.store.View(ctx, func(tx storage.Tx) error {
		id, _, err = o.v.resolveAccount(tx, account)
		return err
	})
	return id, err
}
