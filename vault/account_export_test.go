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
	r.password = new(v.passwordRecord(params, hash))
	if err := v.putMainPair(tx, id, seal.NewAccountKey(), hash.Holder(), now); err != nil {
		return err
	}
	return putAccount(tx, id, r)
}

// accountAsVersion1 writes a record as version 1 did: without networks, and
// with a verifier that is not keyed.
func accountAsVersion1(r *accountRecord) []byte {
	encoded := r.encode()
	newer := 1 + (8+8)*len(r.networks)
	if r.password != nil {
		newer += 1 + len(r.password.kid)
	}
	return append([]byte{1}, encoded[1:len(encoded)-newer]...)
}

// StoreUnkeyedPassword stores an account as version 1 did, with what verify
// makes of the parameters of its password.
func StoreUnkeyedPassword(v *Vault, tx storage.Tx, address string, verify func(seal.PasswordParams) [32]byte) error {
	id, r, err := v.findByAddress(tx, address)
	if err != nil {
		return err
	}
	r.password.verifier = verify(r.password.params)
	return tx.Put(bucketAccount, id[:], accountAsVersion1(r))
}

// PasswordParamsOf returns the parameters that an account's password was hashed
// with.
func PasswordParamsOf(v *Vault, tx storage.Tx, address string) (seal.PasswordParams, error) {
	_, r, err := v.findByAddress(tx, address)
	if err != nil {
		return seal.PasswordParams{}, err
	}
	return r.password.params, nil
}
