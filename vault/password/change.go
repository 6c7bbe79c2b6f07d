package password

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/account"
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
	old, address, err := pw.ProveOwn(ctx, c, current, now)
	if err != nil {
		return err
	}
	if next == current {
		return &refusal.InvalidError{Field: "new_password", Text: "cannot be the same as the current one"}
	}
	if err := Check("new_password", next, address); err != nil {
		return err
	}
	password, err := pw.Hash(ctx, next)
	if err != nil {
		return err
	}
	id := c.AccountID()
	err = pw.store.Update(ctx, func(tx *rows.Tx) error {
		r, err := pw.accounts.StillProved(tx, id, old)
		if err != nil {
			return err
		}
		if err := pw.credentials.RewrapMainPair(tx, id, old.WrappingSecret(), password.WrappingSecret); err != nil {
			return err
		}
		if _, err := credential.EndSessions(tx, id, c.SessionRow()); err != nil {
			return err
		}
		if err := account.SetPassword(tx, r, &password.Record); err != nil {
			return err
		}
		r.Remember(pw.keys.NetworkID(c.Network.Bytes()), now)
		return account.Amend(tx, id, r, audit.Password, now)
	})
	if err != nil {
		return err
	}
	pw.watches.TellAccount(id)
	return nil
}

// ProveOwn checks the password of the caller's own account, and returns its
// hash and the account's address.
func (pw *Passwords) ProveOwn(ctx context.Context, c caller.Caller, password caller.Text, now time.Time) (hash seal.PasswordHash, address string, err error) {
	if c.Anonymous() {
		return hash, "", refusal.ErrUnauthenticated
	}
	var r *account.Record
	err = pw.store.View(ctx, func(tx *rows.Tx) (err error) {
		r, err = account.UsableAccount(tx, c.AccountID())
		return err
	})
	if err != nil {
		return hash, "", err
	}
	hash, err = pw.Prove(ctx, c, r.AddressID, r, password, now)
	return hash, pw.accounts.AddressOf(c.AccountID(), r), err
}

// NewSecret checks and hashes a password, and generates the key that it
// unwraps.
func (pw *Passwords) NewSecret(ctx context.Context, field string, password caller.Text, address string) (*account.NewSecret, error) {
	if err := Check(field, password, address); err != nil {
		return nil, err
	}
	hashed, err := pw.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	return &account.NewSecret{Password: hashed, Key: seal.NewAccountKey()}, nil
}

// Reset gives an account another password and key, and stores r. It ends all sessions
// and API tokens. Nothing can open the account's earlier entries any more; sealed is
// how many there are.
func (pw *Passwords) Reset(tx *rows.Tx, id caller.AccountID, r *account.Record, secret *account.NewSecret, sealed int64, now time.Time) error {
	// The tokens go first: a key that a token holds would stay.
	if _, err := credential.EndTokens(tx, id); err != nil {
		return err
	}
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	if err := pw.credentials.ReplaceMainPair(tx, id, secret.Key, secret.Password.WrappingSecret, now); err != nil {
		return err
	}
	if err := ClearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := account.SetPassword(tx, r, &secret.Password.Record); err != nil {
		return err
	}
	r.SealedCount = uint64(sealed)
	return account.Amend(tx, id, r, audit.Reset, now)
}

// Lose leaves an account without a password, and with nothing that the old one
// opens. It stores r. kind says what happened to the password.
func Lose(tx *rows.Tx, id caller.AccountID, r *account.Record, kind audit.Type, at time.Time) error {
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	if err := credential.DropMainPair(tx, id); err != nil {
		return err
	}
	if err := ClearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := account.SetPassword(tx, r, nil); err != nil {
		return err
	}
	return account.Amend(tx, id, r, kind, at)
}
