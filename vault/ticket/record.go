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

func (r *Record) fields(c *rows.Codec) {
	c.Version(version)
	rows.Byte(c, &r.Kind)
	c.Bytes(r.Account[:])
	c.Time(&r.Created)
	c.Time(&r.Expires)
	c.Sized(&r.address)
}

func (r *Record) encode() []byte { return rows.Encode(40+len(r.address), r, (*Record).fields) }

// Decode decodes a ticket.
func Decode(data []byte) (*Record, error) {
	r := new(Record)
	return r, rows.Decode(data, r, (*Record).fields)
}
