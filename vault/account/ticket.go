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

// ticket is a stored ticket with its row.
type ticket struct {
	row    seal.RowKey
	record *ticketRecord
}

// newTicket returns a ticket that is not stored yet; token opens it.
func newTicket(kind ticketKind, token seal.Token, account caller.AccountID, now time.Time) ticket {
	return ticket{token.RowKey(kind.tokens()), &ticketRecord{
		kind: kind, account: account, created: now, expires: now.Add(kind.lifetime()),
	}}
}

// sealTicket binds an address to a ticket that is not stored yet.
func (tk *Tickets) sealTicket(t ticket, address string) {
	t.record.address = tk.keys.SealField(fieldTicketAddress, t.row[:], []byte(address))
}

// openTicket returns the address of a ticket, or "" if it has none.
func (tk *Tickets) openTicket(t ticket) (string, error) {
	if len(t.record.address) == 0 {
		return "", nil
	}
	address, err := tk.keys.OpenField(fieldTicketAddress, t.row[:], t.record.address)
	if err != nil {
		return "", fmt.Errorf("opening a ticket: %w", errors.Join(err, rows.ErrInconsistent))
	}
	return string(address), nil
}

func putTicket(tx *rows.Tx, t ticket) error {
	if err := tx.Put(BucketTicket, t.row[:], t.record.encode()); err != nil {
		return err
	}
	return sweep.PutDue(tx, t.record.expires, sweep.DueTicket, t.row[:])
}

// issue stores a ticket of an account, whose record r the caller then stores.
// It ends an earlier ticket of the kind.
func issue(tx *rows.Tx, r *Record, t ticket) error {
	if err := dropTickets(tx, r, t.record.kind); err != nil {
		return err
	}
	r.tickets[t.record.kind-1] = t.row
	return putTicket(tx, t)
}

// dropTickets ends an account's tickets of some kinds. The caller stores r.
func dropTickets(tx *rows.Tx, r *Record, kinds ...ticketKind) error {
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

// getTicket loads a ticket, or returns ErrTicket.
func getTicket(tx *rows.Tx, kind ticketKind, row seal.RowKey, now time.Time) (ticket, error) {
	record, err := rows.Load(tx, BucketTicket, row[:], decodeTicket)
	if errors.Is(err, refusal.ErrNotFound) {
		return ticket{}, refusal.ErrTicket
	}
	if err != nil {
		return ticket{}, err
	}
	if record.kind != kind || !now.Before(record.expires) {
		return ticket{}, refusal.ErrTicket
	}
	return ticket{row, record}, nil
}

// seekTicket finds the ticket that a token opens, and its account, in a read
// transaction. It returns ErrTicket.
func (tk *Tickets) seekTicket(ctx context.Context, kind ticketKind, text caller.Text, now time.Time) (found ticket, r *Record, err error) {
	token, ok := seal.ParseToken(string(text))
	if !ok {
		return ticket{}, nil, refusal.ErrTicket
	}
	err = tk.store.View(ctx, func(tx *rows.Tx) error {
		found, r, err = ticketAccount(tx, kind, token.RowKey(kind.tokens()), now)
		return err
	})
	return found, r, err
}

// ticketAccount loads a ticket with its account. The account must still hold
// the ticket, and be neither disabled nor destroyed. It returns ErrTicket.
func ticketAccount(tx *rows.Tx, kind ticketKind, row seal.RowKey, now time.Time) (ticket, *Record, error) {
	t, err := getTicket(tx, kind, row, now)
	if err != nil {
		return ticket{}, nil, err
	}
	r, err := GetAccount(tx, t.record.account)
	if errors.Is(err, refusal.ErrNotFound) {
		return ticket{}, nil, refusal.ErrTicket
	}
	if err != nil {
		return ticket{}, nil, err
	}
	if r.tickets[kind-1] != row || r.Disabled || !r.Destroyed.IsZero() {
		return ticket{}, nil, refusal.ErrTicket
	}
	return t, r, nil
}

// EndTicket deletes an expired ticket, and with it the address that it was to
// confirm.
func (tk *Tickets) EndTicket(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	t, err := rows.Load(tx, BucketTicket, key, decodeTicket)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if now.Before(t.expires) {
		return t.expires, nil
	}
	if t.kind != ticketInvite {
		if err := forgetTicket(tx, t, seal.RowKey(key)); err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, tx.Delete(BucketTicket, key)
}

// forgetTicket removes a ticket from its account's record.
func forgetTicket(tx *rows.Tx, t *ticketRecord, row seal.RowKey) error {
	r, err := GetAccount(tx, t.account)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err != nil || t.kind == 0 || t.kind > accountTickets || r.tickets[t.kind-1] != row {
		return err
	}
	r.tickets[t.kind-1] = seal.RowKey{}
	if t.kind == ticketAddress {
		r.pendingAddress = nil
	}
	return PutAccount(tx, t.account, r)
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
	t, err := rows.Load(tx, BucketTicket, key, decodeTicket)
	if err == nil && t.kind != ticketInvite && len(key) == len(seal.RowKey{}) {
		err = forgetTicket(tx, t, seal.RowKey(key))
	}
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	return tx.Delete(BucketTicket, key)
}
