package account

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

// ChangeAccountPassword sets a new password. It ends every session but the
// caller's own, and every mailed link; API tokens stay. It returns
// ErrUnauthenticated, ErrCredentials or LockedError for a wrong current
// password, ErrInvalid for an unacceptable new one, and ErrBusy.
func (pw *Passwords) ChangeAccountPassword(ctx context.Context, c caller.Caller, current, next caller.Text) error {
	now := pw.clock.Now()
	old, address, err := pw.proveOwn(ctx, c, current, now)
	if err != nil {
		return err
	}
	if next == current {
		return &refusal.InvalidError{Field: "new_password", Text: "cannot be the same as the current one"}
	}
	if err := checkPasswordOf("new_password", next, address); err != nil {
		return err
	}
	password, err := pw.PreparePassword(ctx, next)
	if err != nil {
		return err
	}
	id := c.AccountID()
	err = pw.store.Update(ctx, func(tx *rows.Tx) error {
		r, err := pw.stillProved(tx, id, old)
		if err != nil {
			return err
		}
		if err := pw.credentials.RewrapMainPair(tx, id, old.WrappingSecret(), password.WrappingSecret); err != nil {
			return err
		}
		if _, err := credential.EndSessions(tx, id, c.SessionRow()); err != nil {
			return err
		}
		if err := setPassword(tx, r, &password.Record); err != nil {
			return err
		}
		r.Remember(pw.keys.NetworkID(c.Network.Bytes()), now)
		return amend(tx, id, r, audit.Password, now)
	})
	if err != nil {
		return err
	}
	pw.others.Changed(id)
	return nil
}

// proveOwn checks the password of the caller's own account, and returns its
// hash and the account's address.
func (pw *Passwords) proveOwn(ctx context.Context, c caller.Caller, password caller.Text, now time.Time) (hash seal.PasswordHash, address string, err error) {
	if c.Anonymous() {
		return hash, "", refusal.ErrUnauthenticated
	}
	var r *Record
	err = pw.store.View(ctx, func(tx *rows.Tx) (err error) {
		r, err = UsableAccount(tx, c.AccountID())
		return err
	})
	if err != nil {
		return hash, "", err
	}
	hash, err = pw.ProvePassword(ctx, c, r.AddressID, r, password, now)
	return hash, pw.accounts.AddressOf(c.AccountID(), r), err
}

// stillProved loads an account whose password was verified. It returns
// ErrCredentials if the password has changed meanwhile.
func (pw *Passwords) stillProved(tx *rows.Tx, id caller.AccountID, hash seal.PasswordHash) (*Record, error) {
	r, err := UsableAccount(tx, id)
	if err == nil && !pw.PasswordIs(r, hash) {
		return nil, refusal.ErrCredentials
	}
	return r, err
}

// setPassword puts a password into a record, which the caller stores. It ends
// what was mailed under the old one: a link to set a password, and one to a new
// address. The networks of earlier sign-ins no longer count: they may not be
// the owner's.
func setPassword(tx *rows.Tx, r *Record, password *PasswordRecord) error {
	r.Password, r.pendingAddress, r.Networks = password, nil, nil
	return dropTickets(tx, r, ticketReset, ticketAddress)
}

// ResetPassword sets a new password with the token of a mailed link, which also
// confirms the address. It ends all sessions and API tokens. Nothing can open
// the account's earlier entries any more; it returns how many there are. It
// returns ErrTicket, ErrInvalid or ErrBusy.
func (pw *Passwords) ResetPassword(ctx context.Context, _ caller.Caller, token, password caller.Text) (sealed int64, err error) {
	now := pw.clock.Now()
	t, r, err := pw.tickets.seekTicket(ctx, ticketReset, token, now)
	if err != nil {
		return 0, err
	}
	secret, err := pw.newSecret(ctx, "new_password", password, pw.accounts.AddressOf(t.record.account, r))
	if err != nil {
		return 0, err
	}
	err = pw.store.Update(ctx, func(tx *rows.Tx) error {
		t, r, err := ticketAccount(tx, ticketReset, t.row, now)
		if err != nil {
			return err
		}
		if err := confirmAddress(tx, r, proofMail, now); err != nil {
			return err
		}
		sealed, err = pw.resetPassword(tx, t.record.account, r, secret, now)
		return err
	})
	if err != nil {
		return 0, err
	}
	pw.others.Changed(t.record.account)
	return sealed, nil
}

// newSecret checks and hashes a password, and generates the key that it
// unwraps.
func (pw *Passwords) newSecret(ctx context.Context, field string, password caller.Text, address string) (*accountSecret, error) {
	if err := checkPasswordOf(field, password, address); err != nil {
		return nil, err
	}
	hashed, err := pw.PreparePassword(ctx, password)
	if err != nil {
		return nil, err
	}
	return &accountSecret{hashed, seal.NewAccountKey()}, nil
}

// resetPassword gives an account another password and key, stores r, and
// returns how many entries can no longer be opened: all of them.
func (pw *Passwords) resetPassword(tx *rows.Tx, id caller.AccountID, r *Record, secret *accountSecret, now time.Time) (sealed int64, err error) {
	if sealed, err = pw.others.CountEntries(tx, id); err != nil {
		return 0, err
	}
	// The tokens go first: a key that a token holds would stay.
	if _, err := credential.EndTokens(tx, id); err != nil {
		return 0, err
	}
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return 0, err
	}
	if err := pw.credentials.ReplaceMainPair(tx, id, secret.key, secret.password.WrappingSecret, now); err != nil {
		return 0, err
	}
	if err := clearTries(tx, r.AddressID); err != nil {
		return 0, err
	}
	if err := setPassword(tx, r, &secret.password.Record); err != nil {
		return 0, err
	}
	r.sealedCount = uint64(sealed)
	return sealed, amend(tx, id, r, audit.Reset, now)
}
