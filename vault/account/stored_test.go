package account_test

import (
	"bytes"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/rows"
)

// tombstone is what a destroyed account leaves.
type tombstone struct {
	AddressID [32]byte
	Destroyed time.Time
}

// tombstoneOf reads the record of a destroyed account, and returns ErrFault if
// it says anything else.
func tombstoneOf(record []byte) (tombstone, error) {
	r, err := account.DecodeAccount(record)
	if err != nil {
		return tombstone{}, err
	}
	kept := tombstone{r.AddressID, r.Destroyed}
	if !bytes.Equal(record, (&account.Record{AddressID: kept.AddressID, Destroyed: kept.Destroyed}).Encode()) {
		return tombstone{}, rows.ErrInconsistent
	}
	return kept, nil
}

// storeOldPassword stores a password and its key pair with an account that
// waits for its link, as sign-up did in older versions.
func storeOldPassword(v *vault.Vault, tx *rows.Tx, address string, params seal.PasswordParams, hash seal.PasswordHash, now time.Time) error {
	id, r, err := v.Accounts.FindByAddress(tx, address)
	if err != nil {
		return err
	}
	r.Password = new(v.Passwords.PasswordRecord(params, hash))
	if err := v.Credentials.PutMainPair(tx, id, seal.NewAccountKey(), hash.WrappingSecret(), now); err != nil {
		return err
	}
	return account.PutAccount(tx, id, r)
}

// storeUnkeyedPassword stores an account as version 1 did, with what verify
// makes of the parameters of its password.
func storeUnkeyedPassword(v *vault.Vault, tx *rows.Tx, address string, verify func(seal.PasswordParams) [32]byte) error {
	id, r, err := v.Accounts.FindByAddress(tx, address)
	if err != nil {
		return err
	}
	r.Password.Verifier = verify(r.Password.Params)
	return tx.Put(account.BucketAccount, id[:], accountAsVersion1(r))
}

// passwordParamsOf returns the parameters that an account's password was hashed
// with.
func passwordParamsOf(v *vault.Vault, tx *rows.Tx, address string) (seal.PasswordParams, error) {
	_, r, err := v.Accounts.FindByAddress(tx, address)
	if err != nil {
		return seal.PasswordParams{}, err
	}
	return r.Password.Params, nil
}

// accountAsVersion1 writes a record as version 1 did: without networks, and
// with a verifier that is not keyed.
func accountAsVersion1(r *account.Record) []byte {
	encoded := r.Encode()
	newer := 1 + (8+8)*len(r.Networks)
	if r.Password != nil {
		newer += 1 + len(r.Password.KID)
	}
	return append([]byte{1}, encoded[1:len(encoded)-newer]...)
}
