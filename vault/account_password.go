package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
)

// ChangeAccountPassword sets a new password. It ends every session but the
// caller's own, and whatever was mailed before; API tokens stay. It returns
// ErrUnauthenticated, ErrCredentials or LockedError for a wrong current
// password, ErrInvalid for a new one that is no good, and ErrBusy.
func (v *Vault) ChangeAccountPassword(ctx context.Context, c Caller, current, next Text) error {
	now := v.clock.now()
	old, address, err := v.proveOwn(ctx, c, current, now)
	if err != nil {
		return err
	}
	if next == current {
		return &InvalidError{Field: "new_password", Text: "cannot be the same as the current one"}
	}
	if err := checkPasswordOf("new_password", next, address); err != nil {
		return err
	}
	password, err := v.preparePassword(ctx, next)
	if err != nil {
		return err
	}
	id := c.with.id
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		r, err := v.stillProved(tx, id, old)
		if err != nil {
			return err
		}
		if err := v.rewrapMainPair(tx, id, old.Holder(), password.holder); err != nil {
			return err
		}
		if _, err := endSessions(tx, id, c.with.session); err != nil {
			return err
		}
		if err := setPassword(tx, r, &password.record); err != nil {
			return err
		}
		r.remember(v.keys.NetworkID(c.Network.bytes()), now)
		return amend(tx, id, r, AuditPassword, now)
	})
	if err != nil {
		return err
	}
	v.watches.tellAccount(id)
	return nil
}

// proveOwn tells whether the caller knows the password of its own account, and
// returns its hash and the account's address.
func (v *Vault) proveOwn(ctx context.Context, c Caller, password Text, now time.Time) (hash seal.PasswordHash, address string, err error) {
	if c.with == nil {
		return hash, "", ErrUnauthenticated
	}
	var r *accountRecord
	err = v.store.View(ctx, func(tx storage.Tx) (err error) {
		r, err = usableAccount(tx, c.with.id)
		return err
	})
	if err != nil {
		return hash, "", err
	}
	hash, err = v.provePassword(ctx, c, r.addressID, r, password, now)
	return hash, v.addressOf(c.with.id, r), err
}

// stillProved loads an account whose password was proved. One that got another
// password meanwhile is ErrCredentials.
func (v *Vault) stillProved(tx storage.Tx, id AccountID, hash seal.PasswordHash) (*accountRecord, error) {
	r, err := usableAccount(tx, id)
	if err == nil && !v.passwordIs(r, hash) {
		return nil, ErrCredentials
	}
	return r, err
}

// setPassword puts a password into a record, which the caller stores, and ends
// what was mailed on the strength of the old one: a link to set a password,
// and one to a next address. The networks of earlier sign-ins count no more:
// whoever signed in there need not be the owner.
func setPassword(tx storage.Tx, r *accountRecord, password *passwordRecord) error {
	r.password, r.pendingAddress, r.networks = password, nil, nil
	return dropTickets(tx, r, ticketReset, ticketAddress)
}

// ResetPassword sets a new password with the token of a mailed link, which
// also confirms the address. It ends all sessions and API tokens, and nothing
// is left that opens the entries of the account's list so far: it returns how
// many there are. It returns ErrTicket, ErrInvalid or ErrBusy.
func (v *Vault) ResetPassword(ctx context.Context, _ Caller, token, password Text) (sealed int64, err error) {
	now := v.clock.now()
	t, r, err := v.seekTicket(ctx, ticketReset, token, now)
	if err != nil {
		return 0, err
	}
	secret, err := v.newSecret(ctx, "new_password", password, v.addressOf(t.record.account, r))
	if err != nil {
		return 0, err
	}
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		t, r, err := ticketAccount(tx, ticketReset, t.row, now)
		if err != nil {
			return err
		}
		if err := prove(tx, r, proofMail, now); err != nil {
			return err
		}
		sealed, err = v.resetPassword(tx, t.record.account, r, secret, now)
		return err
	})
	if err != nil {
		return 0, err
	}
	v.watches.tellAccount(t.record.account)
	return sealed, nil
}

// newSecret checks and hashes a password, and draws the key that it unwraps.
func (v *Vault) newSecret(ctx context.Context, field string, password Text, address string) (*accountSecret, error) {
	if err := checkPasswordOf(field, password, address); err != nil {
		return nil, err
	}
	hashed, err := v.preparePassword(ctx, password)
	if err != nil {
		return nil, err
	}
	return &accountSecret{hashed, seal.NewAccountKey()}, nil
}

// resetPassword gives an account another password and key, stores r, and
// returns how many entries its list can no longer show: all of them.
func (v *Vault) resetPassword(tx storage.Tx, id AccountID, r *accountRecord, secret *accountSecret, now time.Time) (sealed int64, err error) {
	if sealed, err = countEntries(tx, id); err != nil {
		return 0, err
	}
	// The tokens go first: a key that one of them holds would stay.
	if _, err := endTokens(tx, id); err != nil {
		return 0, err
	}
	if _, err := endSessions(tx, id, nil); err != nil {
		return 0, err
	}
	if err := v.replaceMainPair(tx, id, secret.key, secret.password.holder, now); err != nil {
		return 0, err
	}
	if err := clearTries(tx, r.addressID); err != nil {
		return 0, err
	}
	if err := setPassword(tx, r, &secret.password.record); err != nil {
		return 0, err
	}
	r.sealedCount = uint64(sealed)
	return sealed, amend(tx, id, r, AuditReset, now)
}
