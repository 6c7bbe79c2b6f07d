package ticket

import (
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketTicket has row key of a mailed token or an invite -> Record.
const BucketTicket = "ticket"

// version is the version of Record.
const version = 1

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketTicket, Check: rows.CheckRow(0, Decode)}}
}

// Kind is what a ticket allows. The numbers are stored.
type Kind byte

// The kinds of tickets. An account has at most one of each of the first three.
const (
	Verify  Kind = 1 // confirms the address of a new account
	Reset   Kind = 2 // sets a new password
	Address Kind = 3 // confirms a new address
	Invite  Kind = 4 // allows a sign-up
)

// ofAccounts is the number of kinds that belong to an account.
const ofAccounts = 3

// The lifetimes of tickets.
const (
	verifyLifetime  = 24 * time.Hour
	resetLifetime   = 15 * time.Minute
	addressLifetime = 24 * time.Hour
	inviteLifetime  = 7 * 24 * time.Hour
)

// OfAccounts reports whether the record of an account names tickets of the kind.
func (k Kind) OfAccounts() bool { return k > 0 && k <= ofAccounts }

// Tokens returns the kind of the tokens that open tickets of the kind.
func (k Kind) Tokens() seal.TokenKind {
	switch k {
	case Verify:
		return seal.KindVerify
	case Reset:
		return seal.KindReset
	case Address:
		return seal.KindAddress
	case Invite:
	}
	return seal.KindInvite
}

// Lifetime returns how long tickets of the kind are valid.
func (k Kind) Lifetime() time.Duration {
	switch k {
	case Verify:
		return verifyLifetime
	case Reset:
		return resetLifetime
	case Address:
		return addressLifetime
	case Invite:
	}
	return inviteLifetime
}

// Record is the right to do one thing once.
//
//	version 1 │ kind 1 │ account 16 │ created 8 │ expires 8
//	│ sealed address (length 4, bytes)
//
// The account is the owner of the ticket, or the creator of an invite. The
// address is the new one, or the only one that an invite is valid for.
type Record struct {
	Kind             Kind
	Account          caller.AccountID
	Created, Expires time.Time
	address          []byte // SealField fieldAddress, row = that of the ticket; empty if none
}

// fieldAddress is the label of a ticket's sealed address.
const fieldAddress = "ticket address"

func (r *Record) encode() []byte {
	w := make(rows.Writer, 0, 40+len(r.address))
	w.Byte(version)
	w.Byte(byte(r.Kind))
	w.Bytes(r.Account[:])
	w.Time(r.Created)
	w.Time(r.Expires)
	w.Sized(r.address)
	return w
}

// Decode decodes a ticket.
func Decode(data []byte) (*Record, error) {
	in := rows.NewReader(data)
	var r Record
	in.Version(version)
	r.Kind = Kind(in.Byte())
	in.Into(r.Account[:])
	r.Created, r.Expires = in.Time(), in.Time()
	r.address = in.Sized()
	return &r, in.End()
}
