package account

import (
	"errors"
	"time"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// PendingLifetime is how long an account may stay unconfirmed. Then its address
// is free again.
const PendingLifetime = 7 * 24 * time.Hour

// EndPending deletes an unconfirmed account. The time runs from the last
// sign-up or link.
func (ac *Accounts) EndPending(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != len(caller.AccountID{}) {
		return time.Time{}, rows.ErrDamaged
	}
	id := caller.AccountID(key)
	r, err := GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && (!r.Pending || !r.Destroyed.IsZero()) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if end := credential.Later(r.Created, r.updated).Add(PendingLifetime); now.Before(end) {
		return end, nil
	}
	return time.Time{}, ac.removePending(tx, id, r, now)
}

// removePending deletes an unconfirmed account. It never had an owner, so its address is
// free at once.
func (ac *Accounts) removePending(tx *rows.Tx, id caller.AccountID, r *Record, now time.Time) error {
	if err := ac.bury(tx, id, r, now); err != nil {
		return err
	}
	if err := tx.Delete(BucketAddress, r.AddressID[:]); err != nil {
		return err
	}
	return tx.Delete(BucketAccount, id[:])
}

// takeAddress returns the state of an address that the operator vouches for, or whose
// mail the caller reads. An unconfirmed account there, which anyone can begin, is deleted
// first.
func (ac *Accounts) takeAddress(tx *rows.Tx, addressID [32]byte, now time.Time) (addressState, error) {
	at, id, r, err := addressStateOf(tx, addressID)
	if err != nil || at != addressPending {
		return at, err
	}
	return addressFree, ac.removePending(tx, id, r, now)
}
