package domain

import (
	"errors"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// VerifiedHolder returns the account that verified a canonical name, or
// ErrNotFound.
func VerifiedHolder(tx storage.Tx, name string) (caller.AccountID, error) {
	holder, err := tx.Get(BucketVerified, []byte(name))
	if errors.Is(err, storage.ErrNotFound) {
		return caller.AccountID{}, refusal.ErrNotFound
	}
	if err != nil {
		return caller.AccountID{}, err
	}
	if len(holder) != len(caller.AccountID{}) {
		return caller.AccountID{}, rows.ErrDamaged
	}
	return caller.AccountID(holder), nil
}

// takenBy reports whether another account holds the verified name.
func (d *ownedDomain) takenBy(tx storage.Tx) (bool, error) {
	holder, err := VerifiedHolder(tx, d.name)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	return err == nil && holder != d.owner, err
}

// unhold releases the name, so that others can verify it.
func (d *ownedDomain) unhold(tx storage.Tx) error {
	if err := tx.Delete(BucketVerified, []byte(d.name)); err != nil {
		return err
	}
	return rows.Count(tx, rows.Change{Counter: rows.CountDomains, By: -1})
}
