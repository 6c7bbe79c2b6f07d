package account

import (
	"errors"
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// TombstoneLifetime is how long the address of a destroyed account cannot sign
// up again.
const TombstoneLifetime = 365 * 24 * time.Hour

// EndAccess ends everything by which an account can be used besides its password:
// its tickets, sessions, tokens and key pairs. It is the first step of a destruction.
func EndAccess(tx *rows.Tx, id caller.AccountID, r *Record) error {
	if err := r.Tickets.Drop(tx, ticket.Verify, ticket.Reset, ticket.Address); err != nil {
		return err
	}
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	if _, err := credential.EndTokens(tx, id); err != nil {
		return err
	}
	return credential.EndPairs(tx, id)
}

// Bury deletes an account's tally and replaces the account by its tombstone, which holds
// only the id of its address and the time of its destruction. It is the last step of a
// destruction: what the account had must have ended.
func Bury(tx *rows.Tx, id caller.AccountID, r *Record, now time.Time) error {
	if err := tx.Delete(BucketTally, id[:]); err != nil {
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
func EndTombstone(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
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
	owner, _, err := FindByAddressID(tx, r.AddressID)
	if err == nil && owner == id {
		err = tx.Delete(BucketAddress, r.AddressID[:])
	}
	if err != nil && !errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, err
	}
	return time.Time{}, tx.Delete(BucketAccount, id[:])
}

// Disable disables an account in its record, which the caller stores, and ends what
// it is used with.
func Disable(tx *rows.Tx, id caller.AccountID, r *Record) error {
	r.Disabled = true
	if _, err := credential.EndSessions(tx, id, nil); err != nil {
		return err
	}
	return r.Tickets.Drop(tx, ticket.Reset, ticket.Address)
}
