package session

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Authenticate returns the caller with exactly one of these credentials: a
// session, an API token, or an address and its API token. It returns
// ErrUnauthenticated for a credential that is unknown, ended, expired, of
// another account, or of an account that cannot be used. ErrUnavailable and
// other errors say nothing about the credential.
func (se *Sessions) Authenticate(ctx context.Context, network caller.Network, cred Credential) (caller.Caller, error) {
	anonymous, now := caller.Caller{Network: network}, se.clock.Now()
	proof, ok := se.lookUp(cred)
	if !ok {
		return anonymous, refusal.ErrUnauthenticated
	}
	var found provenCredential
	err := se.store.View(ctx, func(tx *rows.Tx) (err error) {
		found, err = proof(tx, now)
		return err
	})
	if errors.Is(err, refusal.ErrNotFound) {
		err = refusal.ErrUnauthenticated
	}
	if err != nil {
		return anonymous, err
	}
	se.credentials.Used(ctx, found.key, found.used, now)
	se.credentials.Renew(ctx, found.with)
	return caller.WithCredential(anonymous, found.with), nil
}

// provenCredential is a valid credential with its row and its last use.
type provenCredential struct {
	with *caller.Verified
	key  credential.UseKey
	used time.Time
}

// lookUp parses the credential and returns the function that looks it up, or
// false if it is malformed.
func (se *Sessions) lookUp(cred Credential) (func(*rows.Tx, time.Time) (provenCredential, error), bool) {
	if cred.Session == "" {
		token, ok := seal.ParseAPIToken(string(cred.Token))
		return func(tx *rows.Tx, now time.Time) (provenCredential, error) {
			return se.proveToken(tx, token, cred.Address, now)
		}, ok
	}
	session, ok := seal.ParseSessionID(string(cred.Session))
	return func(tx *rows.Tx, now time.Time) (provenCredential, error) {
		return se.proveSession(tx, session, now)
	}, ok && cred.Token == "" && cred.Address == ""
}

func (se *Sessions) proveSession(tx *rows.Tx, session seal.SessionID, now time.Time) (provenCredential, error) {
	row := session.Row()
	record, err := credential.GetSession(tx, row)
	if err != nil {
		return provenCredential{}, err
	}
	if !se.credentials.Lasts(credential.OwnSession{Row: row, Record: record}, now) {
		return provenCredential{}, refusal.ErrUnauthenticated
	}
	with, _, err := se.proveAccount(tx, record.Account)
	if err != nil {
		return provenCredential{}, err
	}
	with.Row = row
	with.Scopes, with.Session, with.Shrimp = caller.ScopesAll, true, se.keys.Shrimp(session)
	with.Key = caller.WrappedKey{
		Pair: record.Pair, Wrapped: record.Wrapped, Secret: session.WrappingSecret(),
		Label: credential.WrapLabel(record.Account, record.Pair, credential.HeldBySession),
	}
	return provenCredential{with, credential.SessionUse(row), record.Used}, nil
}

// proveToken accepts any address if none is given.
func (se *Sessions) proveToken(tx *rows.Tx, token seal.APIToken, address caller.Text, now time.Time) (provenCredential, error) {
	row := token.Row()
	record, err := credential.GetToken(tx, row)
	if err != nil {
		return provenCredential{}, err
	}
	if record.Expired(now) {
		return provenCredential{}, refusal.ErrUnauthenticated
	}
	with, account, err := se.proveAccount(tx, record.Account)
	if err != nil {
		return provenCredential{}, err
	}
	if address != "" && !se.addressIs(account, address) {
		return provenCredential{}, refusal.ErrUnauthenticated
	}
	with.Row = row
	with.Scopes = record.Scopes.Granted()
	with.Key = caller.WrappedKey{
		Pair: record.Pair, Wrapped: record.Wrapped, Secret: token.WrappingSecret(),
		Label: credential.WrapLabel(record.Account, record.Pair, credential.HeldByToken),
	}
	return provenCredential{with, credential.TokenUse(row), record.Used}, nil
}

// addressIs reports whether an address is the account's, however it is spelled.
func (se *Sessions) addressIs(r *account.Record, address caller.Text) bool {
	canonical, err := email.Canonical(address)
	if err != nil {
		return false
	}
	id := se.keys.AddressID(canonical)
	return subtle.ConstantTimeCompare(id[:], r.AddressID[:]) == 1
}

// proveAccount returns the part of a credential that comes from its account, or
// ErrUnauthenticated if the account cannot be used.
func (se *Sessions) proveAccount(tx *rows.Tx, id caller.AccountID) (*caller.Verified, *account.Record, error) {
	account, err := account.UsableAccount(tx, id)
	if err != nil {
		return nil, nil, err
	}
	address := se.accounts.AddressOf(id, account)
	return &caller.Verified{
		ID: id, Address: address, Locale: account.Locale, Colonel: se.accounts.ColonelOf(account, address),
	}, account, nil
}
