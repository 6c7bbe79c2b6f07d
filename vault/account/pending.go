package account

import (
	"errors"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// PendingLifetime is how long an account waits for its address to be
// confirmed. After it the address is free again.
const PendingLifetime = 7 * 24 * time.Hour

// EndPending removes an account that nobody confirmed. The time runs from the
// last sign-up or link.
func (ac *Accounts) EndPending(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
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
	if err := ac.bury(tx, id, r, now); err != nil {
		return time.Time{}, err
	}
	// Nobody ever owned it, so nothing keeps its address from being used.
	if err := tx.Delete(BucketAddress, r.AddressID[:]); err != nil {
		return time.Time{}, err
	}
	return time.Time{}, tx.Delete(BucketAccount, id[:])
}
