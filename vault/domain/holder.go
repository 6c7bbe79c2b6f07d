package domain

import (
	"errors"

	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// VerifiedHolder returns the account that verified a canonical name, or
// ErrNotFound.
func VerifiedHolder(tx *rows.Tx, name string) (caller.AccountID, error) {
	return rows.Load(tx, BucketVerified, []byte(name), rows.DecodeAccountID)
}

// takenBy reports whether another account holds the verified name.
func (d *ownedDomain) takenBy(tx *rows.Tx) (bool, error) {
	holder, err := VerifiedHolder(tx, d.name)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	return err == nil && holder != d.owner, err
}

// unhold releases the name, so that others can verify it.
func (d *ownedDomain) unhold(tx *rows.Tx) error {
	if err := tx.Delete(BucketVerified, []byte(d.name)); err != nil {
		return err
	}
	return counter.Add(tx, counter.Change{Counter: counter.Domains, By: -1})
}
