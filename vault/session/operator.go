package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator holds the operator's actions on sessions and tokens. It asks for no
// password: only the process that owns the data folder hands it out.
type Operator struct{ v *Sessions }

// NewOperator returns the operator's actions on sessions and tokens.
func NewOperator(v *Sessions) Operator { return Operator{v} }

// CreateToken creates an API token of an account, given by address or id,
// without its password. The token lists what is shared after its creation. It
// works as soon as the account can be used. It returns the errors of
// GenerateAPIToken, and ErrNotFound for an unknown account.
func (o Operator) CreateToken(ctx context.Context, account caller.Text, n credential.NewToken) (seal.APIToken, credential.APIToken, error) {
	now := o.v.clock.Now()
	if strings.TrimSpace(n.Name) == "" {
		n.Name = "token-" + seal.RandomHex(4)
	}
	record, err := n.Draft(now)
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	id, err := o.find(ctx, account)
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	token, key := seal.NewAPIToken(), seal.NewAccountKey()
	made := o.v.credentials.WrapToken(token, record, id, credential.NewPairID(), key)
	err = o.v.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if _, _, err := o.v.accounts.ResolveAccount(tx, caller.Text(id.String())); err != nil {
			return err
		}
		if record, err = credential.PutTokenPair(tx, made, key, n.Rotate); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.Token, id)
	})
	if err != nil {
		return seal.APIToken{}, credential.APIToken{}, err
	}
	o.v.watches.TellAccount(id)
	return token, record.Describe(time.Time{}), nil
}

// ListTokens lists the tokens of an account, oldest first, or returns
// ErrNotFound.
func (o Operator) ListTokens(ctx context.Context, account caller.Text) ([]credential.APIToken, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return nil, err
	}
	return o.v.credentials.ListTokens(ctx, id)
}

// ListSessions lists the sessions of an account, newest first, or returns
// ErrNotFound.
func (o Operator) ListSessions(ctx context.Context, account caller.Text) ([]credential.Session, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return nil, err
	}
	return o.v.credentials.ListSessions(ctx, id, nil)
}

// RevokeToken ends the token of an account with the given id, or else the given
// name, and returns it. It returns ErrNotFound if there is no such account or
// token.
func (o Operator) RevokeToken(ctx context.Context, account caller.Text, token string) (credential.APIToken, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return credential.APIToken{}, err
	}
	ended, err := o.v.credentials.RevokeToken(ctx, id, credential.TokenID(token))
	if !errors.Is(err, refusal.ErrNotFound) {
		return ended, err
	}
	name := strings.TrimSpace(token)
	return o.v.credentials.RevokeToken(ctx, id, credential.TokenNamed(name))
}

// find returns the id of an account.
func (o Operator) find(ctx context.Context, account caller.Text) (id caller.AccountID, err error) {
	err = o.v.store.View(ctx, func(tx *rows.Tx) error {
		id, _, err = o.v.accounts.ResolveAccount(tx, account)
		return err
	})
	return id, err
}
