package account

import (
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// newAccount returns the record of an account that is not confirmed.
func (ac *Accounts) newAccount(address, locale string, now time.Time) (caller.AccountID, *Record) {
	id := NewAccountID(now)
	return id, &Record{
		Created: now, updated: now, Role: RoleCustomer, Locale: locale,
		AddressID: ac.keys.AddressID(address), address: ac.sealAddress(id, address),
	}
}

// addAccount stores a new account with its password, unless secret is nil. Its
// address must be free or have a tombstone, which is deleted.
func (ac *Accounts) addAccount(tx *rows.Tx, id caller.AccountID, r *Record, secret *accountSecret, now time.Time) error {
	at, old, _, err := addressStateOf(tx, r.AddressID)
	if err != nil {
		return err
	}
	if at == addressBuried {
		if err := tx.Delete(BucketAccount, old[:]); err != nil {
			return err
		}
	}
	if secret != nil {
		r.Password = &secret.password.Record
		if err := ac.credentials.PutMainPair(tx, id, secret.key, secret.password.WrappingSecret, now); err != nil {
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
