package vault

import (
	"context"
	"errors"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// DestroyAccount ends the caller's account with its sessions, tokens and
// domains. It burns the account's live secrets and returns how many there were.
// The confirmation is the account's password. It returns ErrUnauthenticated,
// ErrInvalid without a confirmation, ErrCredentials or LockedError for a wrong
// one, and ErrBusy.
func (v *Vault) DestroyAccount(ctx context.Context, c caller.Caller, confirmation caller.Text) (burned int, err error) {
	if c.Anonymous() {
		return 0, refusal.ErrUnauthenticated
	}
	if confirmation == "" {
		return 0, &refusal.InvalidError{Field: "confirmation", Text: "is missing"}
	}
	now := v.clock.Now()
	proved, _, err := v.Passwords.ProveOwn(ctx, c, confirmation, now)
	if err != nil {
		return 0, err
	}
	return v.destroyAccount(ctx, c.AccountID(), now, func(tx *rows.Tx) error {
		r, err := v.Accounts.StillProved(tx, c.AccountID(), proved)
		if err != nil {
			return err
		}
		return v.buryNoted(tx, c.AccountID(), r, now)
	})
}

// DestroyAccount destroys an account like its owner can, and returns how many
// live secrets it burned, or ErrNotFound.
func (o AccountOperator) DestroyAccount(ctx context.Context, name caller.Text) (burned int, err error) {
	target, _, err := o.Find(ctx, name)
	if err != nil {
		return 0, err
	}
	now := o.v.clock.Now()
	return o.v.destroyAccount(ctx, target, now, func(tx *rows.Tx) error {
		_, r, err := o.Target(tx, caller.Text(target.String()))
		if err != nil {
			return err
		}
		if err := o.v.buryNoted(tx, target, r, now); err != nil {
			return err
		}
		return o.RecordActor(tx, now)
	})
}

// destroyAccount burns an account's secrets, and closes its requests, around the transaction that turns it into a
// tombstone. The second burning catches what was concealed after the first; after the
// tombstone, nothing can be.
func (v *Vault) destroyAccount(ctx context.Context, id caller.AccountID, now time.Time, bury func(*rows.Tx) error) (burned int, err error) {
	if burned, err = v.endHoldings(ctx, id, now); err != nil {
		return burned, err
	}
	if err := v.store.UpdateReserved(ctx, bury); err != nil {
		return burned, err
	}
	v.Watches.TellAccount(id)
	// Whatever became of the caller's credential, that of the account itself included.
	more, err := v.endHoldings(cluster.Unchecked(ctx), id, now)
	return burned + more, err
}

// endHoldings closes the requests of an account, and burns its live secrets and the
// answers that wait for it. It returns how many it burned.
func (v *Vault) endHoldings(ctx context.Context, id caller.AccountID, now time.Time) (burned int, err error) {
	if burned, err = v.Burns.BurnAccount(ctx, id, now); err != nil {
		return burned, err
	}
	answers, err := v.Requests.EndAccount(ctx, id, now)
	return burned + answers, err
}

// buryNoted notes in the spent log that an account is destroyed, and buries it.
func (v *Vault) buryNoted(tx *rows.Tx, id caller.AccountID, r *account.Record, now time.Time) error {
	if err := spent.Note(tx, spent.KindAccountDestroyed, id[:], now); err != nil {
		return err
	}
	return v.bury(tx, id, r, now)
}

// bury ends what an account has besides secrets, and replaces it by its tombstone.
func (v *Vault) bury(tx *rows.Tx, id caller.AccountID, r *account.Record, now time.Time) error {
	if err := account.EndAccess(tx, id, r); err != nil {
		return err
	}
	if err := v.Domains.EndDomains(tx, id); err != nil {
		return err
	}
	if err := password.ClearTries(tx, r.AddressID); err != nil {
		return err
	}
	return account.Bury(tx, id, r, now)
}

// EndLoggedAccount does to an account what the spent log tells, and reports whether
// there was anything to do. After a changed password the one in force is not known, so
// the account has none until it is reset. The live secrets of a destroyed account
// must have been burned.
func (v *Vault) EndLoggedAccount(tx *rows.Tx, kind spent.Kind, id caller.AccountID, at time.Time) (done bool, err error) {
	r, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !r.Destroyed.IsZero() {
		return false, nil // it is younger than the backup, or gone
	}
	if err != nil {
		return false, err
	}
	switch kind {
	case spent.KindAccountDestroyed:
		return true, v.bury(tx, id, r, at)
	case spent.KindPasswordChanged:
		return true, password.Lose(tx, id, r, audit.Password, at)
	case spent.KindPasswordReset:
		// The tokens go first: a key that a token holds would stay.
		if _, err := credential.EndTokens(tx, id); err != nil {
			return false, err
		}
		return true, password.Lose(tx, id, r, audit.Reset, at)
	case spent.KindAccountDisabled:
		if r.Disabled {
			return false, nil
		}
		if err := account.Disable(tx, id, r); err != nil {
			return false, err
		}
		return true, account.Amend(tx, id, r, audit.Disable, at)
	case spent.KindRoleLost:
		if r.Role != account.RoleColonel {
			return false, nil
		}
		r.Role = account.RoleCustomer
		return true, account.Amend(tx, id, r, audit.Role, at)
	default:
		return false, nil
	}
}
