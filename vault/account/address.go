package account

import (
	"errors"
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
)

// SealAddress seals the address of an account's record.
func (ac *Accounts) SealAddress(id caller.AccountID, address string) []byte {
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
	return FindByAddressID(tx, ac.keys.AddressID(canonical))
}

// FindByAddressID is FindByAddress by the id of the address. It does the same reads for an address without an account: it
// then looks up the zero id, which no account has.
func FindByAddressID(tx *rows.Tx, addressID [32]byte) (caller.AccountID, *Record, error) {
	id, err := rows.LoadOr(tx, BucketAddress, addressID[:], rows.DecodeAccountID, caller.AccountID{})
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	r, err := GetAccount(tx, id)
	return id, r, err
}

// ConfirmAddress records how the ownership of an account's address was proved.
// The caller stores r.
func ConfirmAddress(tx *rows.Tx, r *Record, by Proof, now time.Time) error {
	if r.Proof == ProofNone {
		r.Verified = now
	}
	r.Proof, r.Pending = by, false
	return r.Tickets.Drop(tx, ticket.Verify)
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

// AddressState is the state of an address.
type AddressState byte

// The states of an address.
const (
	AddressFree    AddressState = iota
	AddressPending              // an account whose mailed link is still to be opened
	AddressUsed                 // any other account
	AddressBuried               // a tombstone
)

// StateOfAddress returns the state of an address with its account. The id and
// the record are zero if it is free.
func StateOfAddress(tx *rows.Tx, addressID [32]byte) (AddressState, caller.AccountID, *Record, error) {
	id, r, err := FindByAddressID(tx, addressID)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return AddressFree, caller.AccountID{}, nil, nil
	case err != nil:
		return AddressFree, caller.AccountID{}, nil, err
	case !r.Destroyed.IsZero():
		return AddressBuried, id, r, nil
	case r.Pending && !r.Disabled:
		return AddressPending, id, r, nil
	}
	return AddressUsed, id, r, nil
}

// MoveAddress gives an account another address, which is free, and ends what was
// mailed to the old one. It stores r.
func MoveAddress(tx *rows.Tx, id caller.AccountID, r *Record, nextID [32]byte, sealed []byte, now time.Time) error {
	if err := tx.Delete(BucketAddress, r.AddressID[:]); err != nil {
		return err
	}
	if err := tx.Put(BucketAddress, nextID[:], id[:]); err != nil {
		return err
	}
	r.AddressID, r.address, r.PendingAddress = nextID, sealed, nil
	if err := r.Tickets.Drop(tx, ticket.Reset, ticket.Address); err != nil {
		return err
	}
	if err := ConfirmAddress(tx, r, ProofMail, now); err != nil {
		return err
	}
	return Amend(tx, id, r, audit.Address, now)
}

// SealPendingAddress seals an address that is to be confirmed, for PendingAddress of
// an account's record.
func (ac *Accounts) SealPendingAddress(id caller.AccountID, address string) []byte {
	return ac.keys.SealField(fieldPendingAddress, id[:], []byte(address))
}
