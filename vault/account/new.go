package account

import (
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// PendingLifetime is how long an account may stay unconfirmed. Then its address
// is free again.
const PendingLifetime = 7 * 24 * time.Hour

// NewRecord returns the record of an account that is not confirmed.
func (ac *Accounts) NewRecord(address, locale string, now time.Time) (caller.AccountID, *Record) {
	id := NewAccountID(now)
	return id, &Record{
		Created: now, Updated: now, Role: RoleCustomer, Locale: locale,
		AddressID: ac.keys.AddressID(address), address: ac.SealAddress(id, address),
	}
}

// Add stores a new account with its password, unless secret is nil. Its
// address must be free or have a tombstone, which is deleted.
func (ac *Accounts) Add(tx *rows.Tx, id caller.AccountID, r *Record, secret *NewSecret, now time.Time) error {
	at, old, _, err := StateOfAddress(tx, r.AddressID)
	if err != nil {
		return err
	}
	if at == AddressBuried {
		if err := tx.Delete(BucketAccount, old[:]); err != nil {
			return err
		}
	}
	if secret != nil {
		r.Password = &secret.Password.Record
		if err := ac.credentials.PutMainPair(tx, id, secret.Key, secret.Password.WrappingSecret, now); err != nil {
			return err
		}
	}
	if err := tx.Put(BucketAddress, r.AddressID[:], id[:]); err != nil {
		return err
	}
	if err := PutAccount(tx, id, r); err != nil {
		return err
	}
	if r.Pending {
		if err := sweep.PutDue(tx, now.Add(PendingLifetime), sweep.DuePending, id[:]); err != nil {
			return err
		}
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Accounts, By: 1}); err != nil {
		return err
	}
	return audit.WriteAccount(tx, now, audit.Account, id)
}

// Remove deletes an account that was never confirmed, and the row of its address. It
// had no owner, so it leaves no tombstone.
func Remove(tx *rows.Tx, id caller.AccountID, r *Record) error {
	if err := tx.Delete(BucketAddress, r.AddressID[:]); err != nil {
		return err
	}
	return tx.Delete(BucketAccount, id[:])
}
