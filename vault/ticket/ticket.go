package ticket

import (
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Ticket is a ticket with its row.
type Ticket struct {
	Row seal.RowKey
	*Record
}

// New returns a ticket that is not stored yet; token opens it.
func New(kind Kind, token seal.Token, account caller.AccountID, now time.Time) Ticket {
	return Ticket{token.RowKey(kind.Tokens()), &Record{
		Kind: kind, Account: account, Created: now, Expires: now.Add(kind.Lifetime()),
	}}
}

// Bind binds an address to a ticket that is not stored yet.
func (t Ticket) Bind(keys *seal.Keys, address string) {
	t.address = keys.SealField(fieldAddress, t.Row[:], []byte(address))
}

// BoundTo returns the address of a ticket, or "" if it has none.
func (t Ticket) BoundTo(keys *seal.Keys) (string, error) {
	if len(t.address) == 0 {
		return "", nil
	}
	address, err := keys.OpenField(fieldAddress, t.Row[:], t.address)
	if err != nil {
		return "", fmt.Errorf("opening a ticket: %w", errors.Join(err, rows.ErrInconsistent))
	}
	return string(address), nil
}

// Put stores a ticket, and schedules its end.
func Put(tx *rows.Tx, t Ticket) error {
	if err := tx.Put(BucketTicket, t.Row[:], t.encode()); err != nil {
		return err
	}
	return sweep.PutDue(tx, t.Expires, sweep.DueTicket, t.Row[:])
}

// Get loads a ticket, or returns ErrTicket for one that is of another kind, has expired
// or is gone.
func Get(tx *rows.Tx, kind Kind, row seal.RowKey, now time.Time) (Ticket, error) {
	record, err := Load(tx, row[:])
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

// Load loads the record of any ticket, even an expired one, or returns ErrNotFound.
func Load(tx *rows.Tx, row []byte) (*Record, error) { return rows.Load(tx, BucketTicket, row, Decode) }

// Delete ends a ticket. An account may still name it.
func Delete(tx *rows.Tx, row []byte) error { return tx.Delete(BucketTicket, row) }

// Range calls each for the rows of tickets from a row on, in their order. A nil row
// means the first one. It ends with the error of each.
func Range(tx *rows.Tx, from []byte, each func(key, value []byte) error) error {
	return tx.Range(BucketTicket, from, nil, each)
}
