package account

import (
	"errors"
	"time"

	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// sealAddress seals the address of an account's record.
func (ac *Accounts) sealAddress(id caller.AccountID, address string) []byte {
	return ac.keys.SealField(fieldAddress, id[:], []byte(address))
}

// AddressOf opens an account's address. It logs and leaves out an address that
// does not open: the rest of the account is still useful.
func (ac *Accounts) AddressOf(id caller.AccountID, r *Record) string {
	return ac.openAddress(fieldAddress, id, r.address)
}

// openAddress opens a sealed field of an account's record; empty stays empty.
func (ac *Accounts) openAddress(label string, id caller.AccountID, sealed []byte) string {
	if len(sealed) == 0 {
		return ""
	}
	address, err := ac.keys.OpenField(label, id[:], sealed)
	if err != nil {
		ac.log.Error("an account's address does not open", "account", id.String(), "cause", err)
		return ""
	}
	return string(address)
}

// FindByAddress finds the account of a canonical address, even a destroyed one,
// or returns ErrNotFound.
func (ac *Accounts) FindByAddress(tx *rows.Tx, canonical string) (caller.AccountID, *Record, error) {
	return findByAddressID(tx, ac.keys.AddressID(canonical))
}

// findByAddressID does the same reads for an address without an account: it
// then looks up the zero id, which no account has.
func findByAddressID(tx *rows.Tx, addressID [32]byte) (caller.AccountID, *Record, error) {
	id, err := rows.LoadOr(tx, BucketAddress, addressID[:], rows.DecodeAccountID, caller.AccountID{})
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	r, err := GetAccount(tx, id)
	return id, r, err
}

// confirmAddress records how the ownership of an account's address was proved.
// The caller stores r.
func confirmAddress(tx *rows.Tx, r *Record, by proof, now time.Time) error {
	if r.Proof == proofNone {
		r.verified = now
	}
	r.Proof, r.Pending = by, false
	return dropTickets(tx, r, ticketVerify)
}

// ResolveAccount finds the account of an address or an id. It returns
// ErrNotFound for a destroyed account too.
func (ac *Accounts) ResolveAccount(tx *rows.Tx, account caller.Text) (id caller.AccountID, r *Record, err error) {
	var ok bool
	if id, ok = caller.ParseAccountID(string(account)); ok {
		r, err = GetAccount(tx, id)
	} else {
		address, bad := email.Canonical(account)
		if bad != nil {
			return caller.AccountID{}, nil, refusal.ErrNotFound
		}
		id, r, err = ac.FindByAddress(tx, address)
	}
	if err == nil && !r.Destroyed.IsZero() {
		err = refusal.ErrNotFound
	}
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	return id, r, nil
}

// addressState is the state of an address.
type addressState byte

const (
	addressFree    addressState = iota
	addressPending              // an account whose mailed link is still to be opened
	addressUsed                 // any other account
	addressBuried               // a tombstone
)

// addressStateOf returns the state of an address with its account. The id and
// the record are zero if it is free.
func addressStateOf(tx *rows.Tx, addressID [32]byte) (addressState, caller.AccountID, *Record, error) {
	id, r, err := findByAddressID(tx, addressID)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return addressFree, caller.AccountID{}, nil, nil
	case err != nil:
		return addressFree, caller.AccountID{}, nil, err
	case !r.Destroyed.IsZero():
		return addressBuried, id, r, nil
	case r.Pending && !r.Disabled:
		return addressPending, id, r, nil
	}
	return addressUsed, id, r, nil
}
