package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Ticket is a ticket with its row.
type Ticket struct {
	Row seal.RowKey
	*TicketRecord
}

// NewTicket returns a ticket that is not stored yet; token opens it.
func NewTicket(kind TicketKind, token seal.Token, account caller.AccountID, now time.Time) Ticket {
	return Ticket{token.RowKey(kind.Tokens()), &TicketRecord{
		Kind: kind, Account: account, Created: now, Expires: now.Add(kind.Lifetime()),
	}}
}

// Bind binds an address to a ticket that is not stored yet.
func (t Ticket) Bind(keys *seal.Keys, address string) {
	t.address = keys.SealField(fieldTicketAddress, t.Row[:], []byte(address))
}

// BoundTo returns the address of a ticket, or "" if it has none.
func (t Ticket) BoundTo(keys *seal.Keys) (string, error) {
	if len(t.address) == 0 {
		return "", nil
	}
	address, err := keys.OpenField(fieldTicketAddress, t.Row[:], t.address)
	if err != nil {
		return "", fmt.Errorf("opening a ticket: %w", errors.Join(err, rows.ErrInconsistent))
	}
	return string(address), nil
}

// PutTicket stores a ticket, and schedules its end.
func PutTicket(tx *rows.Tx, t Ticket) error {
	if err := tx.Put(BucketTicket, t.Row[:], t.encode()); err != nil {
		return err
	}
	return sweep.PutDue(tx, t.Expires, sweep.DueTicket, t.Row[:])
}

// IssueTicket stores a ticket of an account, whose record r the caller then
// stores. It ends an earlier ticket of the kind.
func IssueTicket(tx *rows.Tx, r *Record, t Ticket) error {
	if err := dropTickets(tx, r, t.Kind); err != nil {
		return err
	}
	r.tickets[t.Kind-1] = t.Row
	return PutTicket(tx, t)
}

// dropTickets ends an account's tickets of some kinds. The caller stores r.
func dropTickets(tx *rows.Tx, r *Record, kinds ...TicketKind) error {
	for _, kind := range kinds {
		row := &r.tickets[kind-1]
		if *row == (seal.RowKey{}) {
			continue
		}
		if err := tx.Delete(BucketTicket, row[:]); err != nil {
			return err
		}
		*row = seal.RowKey{}
	}
	return nil
}

// GetTicket loads a ticket, or returns ErrTicket.
func GetTicket(tx *rows.Tx, kind TicketKind, row seal.RowKey, now time.Time) (Ticket, error) {
	record, err := rows.Load(tx, BucketTicket, row[:], DecodeTicket)
	if errors.Is(err, refusal.ErrNotFound) {
		return Ticket{}, refusal.ErrTicket
	}
	if err != nil {
		return Ticket{}, err
	}
	if record.Kind != kind || !now.Before(record.Expires) {
		return Ticket{}, refusal.ErrTicket
	}
	return Ticket{row, record}, nil
}

// DeleteTicket ends a ticket.
func DeleteTicket(tx *rows.Tx, row seal.RowKey) error { return tx.Delete(BucketTicket, row[:]) }

// RangeTickets calls each for the rows of tickets from a row on, in their order. A
// nil row means the first one. It ends with the error of each.
func RangeTickets(tx *rows.Tx, from []byte, each func(key, value []byte) error) error {
	return tx.Range(BucketTicket, from, nil, each)
}

// TicketAccount loads a ticket with its account. The account must still hold
// the ticket, and be neither disabled nor destroyed. It returns ErrTicket.
func TicketAccount(tx *rows.Tx, kind TicketKind, row seal.RowKey, now time.Time) (Ticket, *Record, error) {
	t, err := GetTicket(tx, kind, row, now)
	if err != nil {
		return Ticket{}, nil, err
	}
	r, err := GetAccount(tx, t.Account)
	if errors.Is(err, refusal.ErrNotFound) {
		return Ticket{}, nil, refusal.ErrTicket
	}
	if err != nil {
		return Ticket{}, nil, err
	}
	if r.tickets[kind-1] != row || r.Disabled || !r.Destroyed.IsZero() {
		return Ticket{}, nil, refusal.ErrTicket
	}
	return t, r, nil
}

// EndTicket deletes an expired ticket, and with it the address that it was to
// confirm.
func EndTicket(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	t, err := rows.Load(tx, BucketTicket, key, DecodeTicket)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if now.Before(t.Expires) {
		return t.Expires, nil
	}
	if t.Kind != TicketInvite {
		if err := forGetTicket(tx, t, seal.RowKey(key)); err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, tx.Delete(BucketTicket, key)
}

// forgetTicket removes a ticket from its account's record.
func forGetTicket(tx *rows.Tx, t *TicketRecord, row seal.RowKey) error {
	r, err := GetAccount(tx, t.Account)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err != nil || t.Kind == 0 || t.Kind > accountTickets || r.tickets[t.Kind-1] != row {
		return err
	}
	r.tickets[t.Kind-1] = seal.RowKey{}
	if t.Kind == TicketAddress {
		r.PendingAddress = nil
	}
	return PutAccount(tx, t.Account, r)
}

// EndTickets ends every ticket of a store that nothing serves, invites included,
// and returns how many there were. A ticket that cannot be read is deleted.
func EndTickets(ctx context.Context, store cluster.Store) (int, error) {
	return sweep.Drain(ctx, store, BucketTicket, func(tx *rows.Tx, keys [][]byte) error {
		for _, key := range keys {
			if err := endTicket(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

func endTicket(tx *rows.Tx, key []byte) error {
	t, err := rows.Load(tx, BucketTicket, key, DecodeTicket)
	if err == nil && t.Kind != TicketInvite && len(key) == len(seal.RowKey{}) {
		err = forGetTicket(tx, t, seal.RowKey(key))
	}
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	return tx.Delete(BucketTicket, key)
}
