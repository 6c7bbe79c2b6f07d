package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// ErrEnded reports that a caller's credential has ended since it was
// authenticated, or that its account has lost the role that the call needs. It is
// ErrUnauthenticated.
var ErrEnded = fmt.Errorf("the credential has ended: %w", refusal.ErrUnauthenticated)

// RecheckCaller returns the caller as the account stands now, or ErrEnded if the
// credential has ended since: it was revoked, it expired, or its account can no
// longer be used. It does not count as a use. Anonymous callers always pass.
func (se *Sessions) RecheckCaller(ctx context.Context, c caller.Caller) (caller.Caller, error) {
	if c.Anonymous() {
		return c, nil
	}
	now, next := se.clock.Now(), c
	err := se.store.View(ctx, func(tx *rows.Tx) error {
		owner, err := stillGood(tx, se.credentials, c, now)
		if err != nil {
			return err
		}
		address := se.accounts.AddressOf(c.AccountID(), owner)
		next = renewed(c, address, owner.Locale, se.accounts.ColonelOf(owner, address))
		return nil
	})
	return next, err
}

// renewed returns c with what may change while a credential lasts.
func renewed(c caller.Caller, address, locale string, colonel bool) caller.Caller {
	if c.Address() == address && c.Locale() == locale && c.Colonel() == colonel {
		return c
	}
	return caller.WithCredential(c, &caller.Verified{
		ID: c.AccountID(), Address: address, Locale: locale, Colonel: colonel,
		Scopes: c.Scopes(), Row: c.Row(), Session: c.FromSession(), Shrimp: c.Shrimp(), Key: c.Key(),
	})
}

// Hold returns a context whose updates change nothing and return ErrEnded once the
// caller's credential has ended and, with asColonel, once the caller is no colonel.
func (se *Sessions) Hold(ctx context.Context, c caller.Caller, asColonel bool) context.Context {
	if c.Anonymous() {
		return ctx
	}
	return cluster.Checked(ctx, func(tx *rows.Tx) error {
		owner, err := stillGood(tx, se.credentials, c, se.clock.Now())
		if err == nil && asColonel && !se.accounts.ColonelOf(owner, se.accounts.AddressOf(c.AccountID(), owner)) {
			err = ErrEnded
		}
		return err
	})
}

// stillGood returns the account of a caller, or ErrEnded if the credential has ended
// since it was authenticated. Only its row tells: what the row has may have changed
// meanwhile, as when its key is wrapped with another root key.
func stillGood(tx *rows.Tx, credentials *credential.Credentials, c caller.Caller, now time.Time) (*account.Record, error) {
	if err := credentials.Lasting(tx, c, now); err != nil {
		return nil, ended(err)
	}
	owner, err := account.UsableAccount(tx, c.AccountID())
	return owner, ended(err)
}

// ended returns ErrEnded where a row is gone or counts no longer.
func ended(err error) error {
	if errors.Is(err, refusal.ErrNotFound) || errors.Is(err, refusal.ErrUnauthenticated) {
		return ErrEnded
	}
	return err
}
