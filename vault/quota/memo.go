package quota

import (
	"context"
	"errors"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// MemoReservation is the quota that a receipt's memo needs beyond the memo that it
// replaces. A store may run a transaction several times: each run calls Take,
// and Settle follows the last run.
type MemoReservation struct {
	usage     *Usage
	limits    caller.Limits
	size      int       // of the memo
	elsewhere Elsewhere // bytes that other nodes counted
	held      Charge    // reserved so far
	needed    int64     // by the last run; negative for a shorter memo
}

// ReserveMemo asks what other nodes counted, for a sealed memo of size bytes instead
// of one of replaced bytes, or returns ErrQuota. stored is what the receipt counts for.
func (u *Usage) ReserveMemo(ctx context.Context, stored Charge, replaced, size int, limits caller.Limits) (*MemoReservation, error) {
	m := &MemoReservation{usage: u, limits: limits, size: size}
	if u.ledger == nil || size == 0 {
		return m, nil
	}
	charged := stored
	charged.Receipt = int64(max(0, size-replaced))
	var err error
	m.elsewhere, err = u.ledger.admit(ctx, charged, limits)
	if charged.Receipt == 0 && errors.Is(err, refusal.ErrQuota) {
		err = nil // a memo may always become shorter
	}
	return m, err
}

// Take reserves what the memo needs beyond the stored one of replaced bytes, in the
// transaction that replaces it, or returns ErrQuota. stored is what the receipt counts
// for, and secret and metadata are its rows.
func (m *MemoReservation) Take(tx *rows.Tx, stored Charge, replaced int, secret, metadata seal.RowKey) error {
	charged := stored
	if m.usage.ledger != nil {
		charged.Receipt = int64(m.size - replaced)
		if charged.Receipt > 0 {
			return m.usage.Put(tx, charged, m.elsewhere, m.limits, secret, metadata)
		}
		if charged.Receipt = -charged.Receipt; charged.Receipt == 0 {
			return nil
		}
		return m.usage.Drop(tx, charged, secret, metadata)
	}
	m.usage.Adopt(metadata, charged)
	m.needed = int64(m.size - replaced)
	held := m.held.Receipt
	m.held, m.held.Receipt = charged, held
	if more := m.needed - held; more > 0 {
		charged.Receipt = more
		if err := m.usage.take(charged, m.limits); err != nil {
			return err
		}
		m.held.Receipt = m.needed
	}
	return nil
}

// Settle releases what was reserved but not used, or what a shorter memo frees.
// failed is the error of the transaction.
func (m *MemoReservation) Settle(failed error) {
	spare := m.held
	if failed == nil {
		spare.Receipt -= m.needed
	}
	if spare.Receipt > 0 {
		m.usage.Cancel(spare, failed)
	}
}
