package signup

import (
	"errors"
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// EndPending deletes an unconfirmed account. The time runs from the last
// sign-up or link.
func EndPending(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != len(caller.AccountID{}) {
		return time.Time{}, rows.ErrDamaged
	}
	id := caller.AccountID(key)
	r, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && (!r.Pending || !r.Destroyed.IsZero()) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if end := credential.Later(r.Created, r.Updated).Add(account.PendingLifetime); now.Before(end) {
		return end, nil
	}
	return time.Time{}, removePending(tx, id, r, now)
}

// removePending deletes an unconfirmed account. It never had an owner, so it has neither
// secrets nor domains, and its address is free at once.
func removePending(tx *rows.Tx, id caller.AccountID, r *account.Record, now time.Time) error {
	if err := account.EndAccess(tx, id, r); err != nil {
		return err
	}
	if err := password.ClearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := account.Bury(tx, id, r, now); err != nil {
		return err
	}
	return account.Remove(tx, id, r)
}

// takeAddress returns the state of an address that the operator vouches for, or whose
// mail the caller reads. An unconfirmed account there, which anyone can begin, is deleted
// first.
func takeAddress(tx *rows.Tx, addressID [32]byte, now time.Time) (account.AddressState, error) {
	at, id, r, err := account.StateOfAddress(tx, addressID)
	if err != nil || at != account.AddressPending {
		return at, err
	}
	return account.AddressFree, removePending(tx, id, r, now)
}
