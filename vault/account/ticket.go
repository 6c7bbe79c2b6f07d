package account

import (
	"errors"
	"time"

	"hush/seal"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
)

// TicketAccount loads a ticket with its account. The account must still hold
// the ticket, and be neither disabled nor destroyed. It returns ErrTicket.
func TicketAccount(tx *rows.Tx, kind ticket.Kind, row seal.RowKey, now time.Time) (ticket.Ticket, *Record, error) {
	t, err := ticket.Get(tx, kind, row, now)
	if err != nil {
		return ticket.Ticket{}, nil, err
	}
	r, err := GetAccount(tx, t.Account)
	if errors.Is(err, refusal.ErrNotFound) {
		return ticket.Ticket{}, nil, refusal.ErrTicket
	}
	if err != nil {
		return ticket.Ticket{}, nil, err
	}
	if !r.Tickets.Has(kind, row) || r.Disabled || !r.Destroyed.IsZero() {
		return ticket.Ticket{}, nil, refusal.ErrTicket
	}
	return t, r, nil
}

// EndTicket deletes an expired ticket, and with it the address that it was to
// confirm.
func EndTicket(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	t, err := ticket.Load(tx, key)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if now.Before(t.Expires) {
		return t.Expires, nil
	}
	if err := forgetTicket(tx, t, key); err != nil {
		return time.Time{}, err
	}
	return time.Time{}, ticket.Delete(tx, key)
}

// forgetTicket removes a ticket from its account's record.
func forgetTicket(tx *rows.Tx, t *ticket.Record, key []byte) error {
	if !t.Kind.OfAccounts() || len(key) != len(seal.RowKey{}) {
		return nil
	}
	r, err := GetAccount(tx, t.Account)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err != nil || !r.Tickets.Forget(t.Kind, seal.RowKey(key)) {
		return err
	}
	if t.Kind == ticket.Address {
		r.PendingAddress = nil
	}
	return PutAccount(tx, t.Account, r)
}

// DropTicket ends a ticket of a restored store, or an invite. One that cannot be read is
// deleted.
func DropTicket(tx *rows.Tx, key []byte, _ time.Time) error {
	t, err := ticket.Load(tx, key)
	if err == nil {
		err = forgetTicket(tx, t, key)
	}
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	return ticket.Delete(tx, key)
}
