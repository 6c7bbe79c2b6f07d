package account

import (
	"context"
	"errors"
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
	"hush/vault/sweep"
)

// TombstoneLifetime is how long the address of a destroyed account cannot sign
// up again.
const TombstoneLifetime = 365 * 24 * time.Hour

// DestroyAccount ends the caller's account with its sessions, tokens and
// domains. It burns the account's live secrets and returns how many there were.
// The confirmation is the account's password. It returns ErrUnauthenticated,
// ErrInvalid without a confirmation, ErrCredentials or LockedError for a wrong
// one, and ErrBusy.
func (ac *Accounts) DestroyAccount(ctx context.Context, c caller.Caller, confirmation caller.Text) (burned int, err error) {
	if c.Anonymous() {
		return 0, refusal.ErrUnauthenticated
	}
	if confirmation == "" {
		return 0, &refusal.InvalidError{Field: "confirmation", Text: "is missing"}
	}
	now := ac.clock.Now()
	proved, _, err := ac.passwords.proveOwn(ctx, c, confirmation, now)
	if err != nil {
		return 0, err
	}
	return ac.destroyAccount(ctx, c.AccountID(), now, func(tx *rows.Tx) (*Record, error) {
		return ac.passwords.stillProved(tx, c.AccountID(), proved)
	}, nil)
}

// destroyAccount burns an account's secrets and turns it into a tombstone. load
// returns its record if it is still to be destroyed; beside, unless nil, runs in
// the same transaction after it. The second burning catches what was concealed
// after the first; after the tombstone, nothing can be.
func (ac *Accounts) destroyAccount(
	ctx context.Context, id caller.AccountID, now time.Time, load func(*rows.Tx) (*Record, error), beside func(*rows.Tx) error,
) (burned int, err error) {
	if burned, err = ac.others.BurnSecrets(ctx, id, now); err != nil {
		return burned, err
	}
	err = ac.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		r, err := load(tx)
		if err != nil {
			return err
		}
		if err := spent.Note(tx, spent.KindAccountDestroyed, id[:], now); err != nil {
			return err
		}
		if err := ac.bury(tx, id, r, now); err != nil || beside == nil {
			return err
		}
		return beside(tx)
	})
	if err != nil {
		return burned, err
	}
	ac.others.Changed(id)
	// Whatever became of the caller's credential, that of the account itself included.
	more, err := ac.others.BurnSecrets(cluster.Unchecked(ctx), id, now)
	return burned + more, err
}

// bury replaces an account by its tombstone, which holds only the id of its
// address and the time of its destruction.
func (ac *Accounts) bury(tx *rows.Tx, id caller.AccountID, r *Record, now time.Time) error {
	if err := dropTickets(tx, r, ticketVerify, ticketReset, ticketAddress); err != nil {
		return err
	}
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	if _, err := credential.EndTokens(tx, id); err != nil {
		return err
	}
	if err := credential.EndPairs(tx, id); err != nil {
		return err
	}
	if err := ac.others.EndDomains(tx, id); err != nil {
		return err
	}
	if err := tx.Delete(BucketTally, id[:]); err != nil {
		return err
	}
	if err := clearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := PutAccount(tx, id, &Record{AddressID: r.AddressID, Destroyed: now}); err != nil {
		return err
	}
	if err := sweep.PutDue(tx, now.Add(TombstoneLifetime), sweep.DueTombstone, id[:]); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Accounts, By: -1}); err != nil {
		return err
	}
	return audit.WriteAccount(tx, now, audit.Destroy, id)
}

// EndTombstone frees the address of a destroyed account.
func (ac *Accounts) EndTombstone(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != len(caller.AccountID{}) {
		return time.Time{}, rows.ErrDamaged
	}
	id := caller.AccountID(key)
	r, err := GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && r.Destroyed.IsZero() {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if end := r.Destroyed.Add(TombstoneLifetime); now.Before(end) {
		return end, nil
	}
	owner, _, err := findByAddressID(tx, r.AddressID)
	if err == nil && owner == id {
		err = tx.Delete(BucketAddress, r.AddressID[:])
	}
	if err != nil && !errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, err
	}
	return time.Time{}, tx.Delete(BucketAccount, id[:])
}

// EndLogged does to an account what the spent log tells, and reports whether there
// was anything to do. After a changed password the one in force is not known, so
// the account has none until it is reset. The live secrets of a destroyed account
// must have been burned.
func (ac *Accounts) EndLogged(tx *rows.Tx, kind spent.Kind, id caller.AccountID, at time.Time) (done bool, err error) {
	r, err := GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !r.Destroyed.IsZero() {
		return false, nil // it is younger than the backup, or gone
	}
	if err != nil {
		return false, err
	}
	switch kind {
	case spent.KindAccountDestroyed:
		return true, ac.bury(tx, id, r, at)
	case spent.KindPasswordChanged:
		return true, losePassword(tx, id, r, audit.Password, at)
	case spent.KindPasswordReset:
		// The tokens go first: a key that a token holds would stay.
		if _, err := credential.EndTokens(tx, id); err != nil {
			return false, err
		}
		return true, losePassword(tx, id, r, audit.Reset, at)
	case spent.KindAccountDisabled:
		if r.Disabled {
			return false, nil
		}
		r.Disabled = true
		if err := endUse(tx, id, r); err != nil {
			return false, err
		}
		return true, amend(tx, id, r, audit.Disable, at)
	case spent.KindRoleLost:
		if r.Role != RoleColonel {
			return false, nil
		}
		r.Role = RoleCustomer
		return true, amend(tx, id, r, audit.Role, at)
	default:
		return false, nil
	}
}

// losePassword leaves an account without a password, and with nothing that the old
// one opens.
func losePassword(tx *rows.Tx, id caller.AccountID, r *Record, audit audit.Type, at time.Time) error {
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	if err := credential.DropMainPair(tx, id); err != nil {
		return err
	}
	if err := clearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := setPassword(tx, r, nil); err != nil {
		return err
	}
	return amend(tx, id, r, audit, at)
}

// endUse ends what a disabled account is used with.
func endUse(tx *rows.Tx, id caller.AccountID, r *Record) error {
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	return dropTickets(tx, r, ticketReset, ticketAddress)
}
