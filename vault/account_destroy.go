package vault

import (
	"context"
	"errors"
	"time"

	"hush/storage"
)

// TombstoneLifetime is how long nobody can sign up with the address of an
// account that was destroyed.
const TombstoneLifetime = 365 * 24 * time.Hour

// DestroyAccount ends the caller's account with its sessions, tokens and
// domains, burns its live secrets and returns how many there were. The
// confirmation is the account's password. It returns ErrUnauthenticated,
// ErrInvalid without a confirmation, ErrCredentials or LockedError for a wrong
// one, and ErrBusy.
func (v *Vault) DestroyAccount(ctx context.Context, c Caller, confirmation Text) (burned int, err error) {
	if c.with == nil {
		return 0, ErrUnauthenticated
	}
	if confirmation == "" {
		return 0, &InvalidError{Field: "confirmation", Text: "is missing"}
	}
	now := v.clock.now()
	proved, _, err := v.proveOwn(ctx, c, confirmation, now)
	if err != nil {
		return 0, err
	}
	return v.destroyAccount(ctx, c.with.id, now, func(tx storage.Tx) (*accountRecord, error) {
		return v.stillProved(tx, c.with.id, proved)
	})
}

// destroyAccount burns what an account shared and makes it a tombstone. load
// returns its record if it is to be destroyed still. What was concealed after
// the first burning is burned by the second; after the tombstone nothing is.
func (v *Vault) destroyAccount(ctx context.Context, id AccountID, now time.Time, load func(storage.Tx) (*accountRecord, error)) (burned int, err error) {
	if burned, err = v.burnAccount(ctx, id, now); err != nil {
		return burned, err
	}
	err = v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		r, err := load(tx)
		if err != nil {
			return err
		}
		return v.bury(tx, id, r, now)
	})
	if err != nil {
		return burned, err
	}
	v.watches.tellAccount(id)
	more, err := v.burnAccount(ctx, id, now)
	return burned + more, err
}

// bury replaces an account by its tombstone: the id of its address and when it
// was destroyed, nothing else.
func (v *Vault) bury(tx storage.Tx, id AccountID, r *accountRecord, now time.Time) error {
	if err := dropTickets(tx, r, ticketVerify, ticketReset, ticketAddress); err != nil {
		return err
	}
	if _, err := endSessions(tx, id, nil); err != nil {
		return err
	}
	if _, err := endTokens(tx, id); err != nil {
		return err
	}
	if err := endPairs(tx, id); err != nil {
		return err
	}
	if err := v.endDomains(tx, id); err != nil {
		return err
	}
	if err := tx.Delete(bucketTally, id[:]); err != nil {
		return err
	}
	if err := clearTries(tx, r.addressID); err != nil {
		return err
	}
	if err := putAccount(tx, id, &accountRecord{addressID: r.addressID, destroyed: now}); err != nil {
		return err
	}
	if err := putDue(tx, now.Add(TombstoneLifetime), dueTombstone, id[:]); err != nil {
		return err
	}
	if err := tally(tx, tallied{countAccounts, -1}); err != nil {
		return err
	}
	return auditAccount(tx, now, AuditDestroy, id)
}

// endTombstone gives the address of a destroyed account back.
func (v *Vault) endTombstone(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != len(AccountID{}) {
		return time.Time{}, errDamaged
	}
	id := AccountID(key)
	r, err := getAccount(tx, id)
	if errors.Is(err, ErrNotFound) || err == nil && r.destroyed.IsZero() {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if end := r.destroyed.Add(TombstoneLifetime); now.Before(end) {
		return end, nil
	}
	owner, _, err := findByAddressID(tx, r.addressID)
	if err == nil && owner == id {
		err = tx.Delete(bucketAddress, r.addressID[:])
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return time.Time{}, err
	}
	return time.Time{}, tx.Delete(bucketAccount, id[:])
}
