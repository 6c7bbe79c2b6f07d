package account

import (
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketTicket has row key of a mailed token or an invite -> TicketRecord.
const BucketTicket = "ticket"

// ticketVersion is the version of TicketRecord; see records.go.
const ticketVersion = 1

// TicketKind is what a ticket allows. The numbers are stored.
type TicketKind byte

// The kinds of tickets. An account has at most one of each of the first three.
const (
	TicketVerify  TicketKind = 1 // confirms the address of a new account
	TicketReset   TicketKind = 2 // sets a new password
	TicketAddress TicketKind = 3 // confirms a new address
	TicketInvite  TicketKind = 4 // allows a sign-up
)

// accountTickets is the number of kinds that belong to an account.
const accountTickets = 3

// The lifetimes of tickets.
const (
	verifyLifetime  = 24 * time.Hour
	resetLifetime   = 15 * time.Minute
	addressLifetime = 24 * time.Hour
	inviteLifetime  = 7 * 24 * time.Hour
)

// Tokens returns the kind of the tokens that open tickets of the kind.
func (k TicketKind) Tokens() seal.TokenKind {
	switch k {
	case TicketVerify:
		return seal.KindVerify
	case TicketReset:
		return seal.KindReset
	case TicketAddress:
		return seal.KindAddress
	case TicketInvite:
	}
	return seal.KindInvite
}

// Lifetime returns how long tickets of the kind are valid.
func (k TicketKind) Lifetime() time.Duration {
	switch k {
	case TicketVerify:
		return verifyLifetime
	case TicketReset:
		return resetLifetime
	case TicketAddress:
		return addressLifetime
	case TicketInvite:
	}
	return inviteLifetime
}

// TicketRecord is the right to do one thing once.
//
//	version 1 │ kind 1 │ account 16 │ created 8 │ expires 8
//	│ sealed address (length 4, bytes)
//
// The account is the owner of the ticket, or the creator of an invite. The
// address is the new one, or the only one that an invite is valid for.
type TicketRecord struct {
	Kind             TicketKind
	Account          caller.AccountID
	Created, Expires time.Time
	address          []byte // SealField fieldTicketAddress, row = that of the ticket; empty if none
}

// fieldTicketAddress is the label of a ticket's sealed address.
const fieldTicketAddress = "ticket address"

func (r *TicketRecord) encode() []byte {
	w := make(rows.Writer, 0, 40+len(r.address))
	w.Byte(ticketVersion)
	w.Byte(byte(r.Kind))
	w.Bytes(r.Account[:])
	w.Time(r.Created)
	w.Time(r.Expires)
	w.Sized(r.address)
	return w
}

// DecodeTicket decodes a ticket.
func DecodeTicket(data []byte) (*TicketRecord, error) {
	in := rows.NewReader(data)
	var r TicketRecord
	in.Version(ticketVersion)
	r.Kind = TicketKind(in.Byte())
	in.Into(r.Account[:])
	r.Created, r.Expires = in.Time(), in.Time()
	r.address = in.Sized()
	return &r, in.End()
}
