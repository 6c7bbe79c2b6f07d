package account

import (
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketTicket has row key of a mailed token or an invite -> ticketRecord.
const BucketTicket = "ticket"

// ticketVersion is the version of ticketRecord; see records.go.
const ticketVersion = 1

// ticketKind is what a ticket allows. The numbers are stored.
type ticketKind byte

// The kinds of tickets. An account has at most one of each of the first three.
const (
	ticketVerify  ticketKind = 1 // confirms the address of a new account
	ticketReset   ticketKind = 2 // sets a new password
	ticketAddress ticketKind = 3 // confirms a new address
	ticketInvite  ticketKind = 4 // allows a sign-up
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

// tokens returns the kind of the tokens that open tickets of the kind.
func (k ticketKind) tokens() seal.TokenKind {
	switch k {
	case ticketVerify:
		return seal.KindVerify
	case ticketReset:
		return seal.KindReset
	case ticketAddress:
		return seal.KindAddress
	case ticketInvite:
	}
	return seal.KindInvite
}

func (k ticketKind) lifetime() time.Duration {
	switch k {
	case ticketVerify:
		return verifyLifetime
	case ticketReset:
		return resetLifetime
	case ticketAddress:
		return addressLifetime
	case ticketInvite:
	}
	return inviteLifetime
}

// ticketRecord is the right to do one thing once.
//
//	version 1 │ kind 1 │ account 16 │ created 8 │ expires 8
//	│ sealed address (length 4, bytes)
//
// The account is the owner of the ticket, or the creator of an invite. The
// address is the new one, or the only one that an invite is valid for.
type ticketRecord struct {
	kind             ticketKind
	account          caller.AccountID
	created, expires time.Time
	address          []byte // SealField fieldTicketAddress, row = that of the ticket; empty if none
}

// fieldTicketAddress is the label of a ticket's sealed address.
const fieldTicketAddress = "ticket address"

func (r *ticketRecord) encode() []byte {
	w := make(rows.Writer, 0, 40+len(r.address))
	w.Byte(ticketVersion)
	w.Byte(byte(r.kind))
	w.Bytes(r.account[:])
	w.Time(r.created)
	w.Time(r.expires)
	w.Sized(r.address)
	return w
}

func decodeTicket(data []byte) (*ticketRecord, error) {
	in := rows.NewReader(data)
	var r ticketRecord
	in.Version(ticketVersion)
	r.kind = ticketKind(in.Byte())
	in.Into(r.account[:])
	r.created, r.expires = in.Time(), in.Time()
	r.address = in.Sized()
	return &r, in.End()
}
