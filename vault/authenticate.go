package vault

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

// Authenticate turns what a request brought into a caller on that network:
// a session, an API token, or an address and its API token, and nothing
// besides. Whatever is not good as it stands gets ErrUnauthenticated: unknown,
// ended or too old, another account's, or of an account that cannot be used.
// ErrUnavailable and other errors say nothing about the credential.
func (v *Vault) Authenticate(ctx context.Context, network Network, cred Credential) (Caller, error) {
	nobody, now := Caller{Network: network}, v.clock.now()
	proof, ok := cred.parse()
	if !ok {
		return nobody, ErrUnauthenticated
	}
	var found proved
	err := v.store.View(ctx, func(tx storage.Tx) (err error) {
		found, err = proof(v, tx, now)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		err = ErrUnauthenticated
	}
	if err != nil {
		return nobody, err
	}
	v.used(ctx, found.key, found.used, now)
	return Caller{Account: found.with.id.String(), Network: network, with: found.with}, nil
}

// proved is a good credential with its row and when it was last used.
type proved struct {
	with *credential
	key  useKey
	used time.Time
}

// parse reads the one credential that was brought and returns what looks it
// up, or false if it can be none.
func (cred Credential) parse() (func(*Vault, storage.Tx, time.Time) (proved, error), bool) {
	if cred.Session == "" {
		token, ok := seal.ParseAPIToken(string(cred.Token))
		return func(v *Vault, tx storage.Tx, now time.Time) (proved, error) {
			return v.proveToken(tx, token, cred.Address, now)
		}, ok
	}
	session, ok := seal.ParseSessionID(string(cred.Session))
	return func(v *Vault, tx storage.Tx, now time.Time) (proved, error) {
		return v.proveSession(tx, session, now)
	}, ok && cred.Token == "" && cred.Address == ""
}

func (v *Vault) proveSession(tx storage.Tx, session seal.SessionID, now time.Time) (proved, error) {
	row := session.Row()
	record, err := getSession(tx, row)
	if err != nil {
		return proved{}, err
	}
	if !v.lasts(ownSession{row, record}, now) {
		return proved{}, ErrUnauthenticated
	}
	with, _, err := v.proveAccount(tx, record.account)
	if err != nil {
		return proved{}, err
	}
	with.key = useKey{bucketSession, row}
	with.scopes, with.session, with.shrimp = ScopesAll, &row, v.keys.Shrimp(session)
	with.pair, with.wrapped, with.holder = record.pair, record.wrapped, session.Holder()
	with.label = wrapLabel(record.account, record.pair, heldBySession)
	return proved{with, with.key, record.used}, nil
}

// proveToken takes any address for granted if none is named.
func (v *Vault) proveToken(tx storage.Tx, token seal.APIToken, address Text, now time.Time) (proved, error) {
	row := token.Row()
	record, err := getToken(tx, row)
	if err != nil {
		return proved{}, err
	}
	if record.expired(now) {
		return proved{}, ErrUnauthenticated
	}
	with, account, err := v.proveAccount(tx, record.account)
	if err != nil {
		return proved{}, err
	}
	if address != "" && !v.addressIs(account, address) {
		return proved{}, ErrUnauthenticated
	}
	with.key = useKey{bucketToken, row}
	with.scopes = record.scopes
	with.pair, with.wrapped, with.holder = record.pair, record.wrapped, token.Holder()
	with.label = wrapLabel(record.account, record.pair, heldByToken)
	return proved{with, with.key, record.used}, nil
}

// recheckCaller returns ErrUnauthenticated if the credential that a caller came with
// has ended since: it was revoked, its time is over, or its account cannot be
// used any more. It does not count as a use. Anonymous callers stay who they are.
func (v *Vault) recheckCaller(ctx context.Context, c Caller) error {
	if c.with == nil {
		return nil
	}
	now := v.clock.now()
	err := v.store.View(ctx, func(tx storage.Tx) error {
		if _, err := usableAccount(tx, c.with.id); err != nil {
			return err
		}
		if c.with.key.bucket == bucketToken {
			record, err := getToken(tx, c.with.key.row)
			if err == nil && record.expired(now) {
				return ErrUnauthenticated
			}
			return err
		}
		record, err := getSession(tx, c.with.key.row)
		if err == nil && !v.lasts(ownSession{c.with.key.row, record}, now) {
			return ErrUnauthenticated
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return ErrUnauthenticated
	}
	return err
}

// addressIs tells whether an address is the account's, however it is spelled.
func (v *Vault) addressIs(r *accountRecord, address Text) bool {
	canonical, err := canonicalAddress(address)
	if err != nil {
		return false
	}
	id := v.keys.AddressID(canonical)
	return subtle.ConstantTimeCompare(id[:], r.addressID[:]) == 1
}

// proveAccount returns what a credential of an account says of it, or
// ErrUnauthenticated if the account cannot be used.
func (v *Vault) proveAccount(tx storage.Tx, id AccountID) (*credential, *accountRecord, error) {
	account, err := usableAccount(tx, id)
	if err != nil {
		return nil, nil, err
	}
	address := v.addressOf(id, account)
	return &credential{
		id: id, address: address, locale: account.locale, colonel: v.colonelOf(account, address),
	}, account, nil
}
