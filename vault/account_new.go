package vault

import (
	"time"

	"hush/seal"
	"hush/storage"
)

// accountSecret is an account's password with the key that it unwraps.
type accountSecret struct {
	password newPassword
	key      seal.AccountKey
}

// newAccount makes the record of an account that nobody confirmed.
func (v *Vault) newAccount(address, locale string, now time.Time) (AccountID, *accountRecord) {
	id := newAccountID(now)
	return id, &accountRecord{
		created: now, updated: now, role: RoleCustomer, locale: locale,
		addressID: v.keys.AddressID(address), address: v.sealAddress(id, address),
	}
}

// addAccount stores a new account with its password, unless secret is nil. Its
// address must be free or a tombstone's, which goes.
func (v *Vault) addAccount(tx storage.Tx, id AccountID, r *accountRecord, secret *accountSecret, now time.Time) error {
	at, old, _, err := standingOf(tx, r.addressID)
	if err != nil {
		return err
	}
	if at == addressBuried {
		if err := tx.Delete(bucketAccount, old[:]); err != nil {
			return err
		}
	}
	if secret != nil {
		r.password = &secret.password.record
		if err := v.putMainPair(tx, id, secret.key, secret.password.holder, now); err != nil {
			return err
		}
	}
	if err := tx.Put(bucketAddress, r.addressID[:], id[:]); err != nil {
		return err
	}
	if err := putAccount(tx, id, r); err != nil {
		return err
	}
	if r.pending {
		if err := putDue(tx, now.Add(PendingLifetime), duePending, id[:]); err != nil {
			return err
		}
	}
	if err := tally(tx, tallied{countAccounts, 1}); err != nil {
		return err
	}
	return auditAccount(tx, now, AuditAccount, id)
}
