package vault

import (
	"errors"
	"time"

	"hush/storage"
)

// PendingLifetime is how long an account waits for its address to be
// confirmed. After it the address is free again.
const PendingLifetime = 7 * 24 * time.Hour

// endPending removes an account that nobody confirmed. The time runs from the
// last sign-up or link.
func (v *Vault) endPending(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != len(AccountID{}) {
		return time.Time{}, errDamaged
	}
	id := AccountID(key)
	r, err := getAccount(tx, id)
	if errors.Is(err, ErrNotFound) || err == nil && (!r.pending || !r.destroyed.IsZero()) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if end := later(r.created, r.updated).Add(PendingLifetime); now.Before(end) {
		return end, nil
	}
	if err := v.bury(tx, id, r, now); err != nil {
		return time.Time{}, err
	}
	// Nobody ever owned it, so nothing keeps its address from being used.
	if err := tx.Delete(bucketAddress, r.addressID[:]); err != nil {
		return time.Time{}, err
	}
	return time.Time{}, tx.Delete(bucketAccount, id[:])
}
