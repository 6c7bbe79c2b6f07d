package vault

import (
	"bytes"
	"time"

	"hush/seal"
	"hush/storage"
)

// What the external tests of accounts look for in the store.
const (
	BucketAddress = bucketAddress
	BucketTicket  = bucketTicket
	BucketTries   = bucketTries
	BucketTally   = bucketTally
)

// Tombstone is what a destroyed account leaves.
type Tombstone struct {
	AddressID [32]byte
	Destroyed time.Time
}

// TombstoneOf reads the record of a destroyed account, and returns ErrFault if
// it says anything else.
func TombstoneOf(record []byte) (Tombstone, error) {
	r, err := decodeAccount(record)
	if err != nil {
		return Tombstone{}, err
	}
	kept := Tombstone{r.addressID, r.destroyed}
	if !bytes.Equal(record, (&accountRecord{addressID: kept.AddressID, destroyed: kept.Destroyed}).encode()) {
		return Tombstone{}, errFault
	}
	return kept, nil
}

// StoreOldPassword stores a password and its key pair with an account that
// waits for its link, as sign-up did in older versions.
func StoreOldPassword(v *Vault, tx storage.Tx, address string, params seal.PasswordParams, hash seal.PasswordHash, now time.Time) error {
	id, r, err := v.findByAddress(tx, address)
	if err != nil {
		return err
	}
	r.password = &passwordRecord{params, hash.Verifier()}
	if err := v.putMainPair(tx, id, seal.NewAccountKey(), hash.Holder(), now); err != nil {
		return err
	}
	return putAccount(tx, id, r)
}
