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
// and Finish follows the last run.
type MemoReservation struct {
	usage     *Usage
	limits    caller.Limits
	size      int       // of the memo
	elsewhere Elsewhere // on a shared store
	reserved  Charge    // in memory, so far
	needed    int64     // in memory, by the last run; negative for a shorter memo
}

// ReserveMemo asks what other nodes counted, for a sealed memo of size bytes instead
// of one of replaced bytes, or returns ErrQuota. stored is what the receipt counts for.
func (u *Usage) ReserveMemo(ctx context.Context, stored Charge, replaced, size int, limits caller.Limits) (*MemoReservation, error) {
	m := &MemoReservation{usage: u, limits: limits, size: size}
	if u.ledger == nil || size == 0 {
		return m, nil
	}
	more := stored
	more.Receipt = int64(max(0, size-replaced))
	var err error
	m.elsewhere, err = u.ledger.admit(ctx, more, limits)
	if more.Receipt == 0 && errors.Is(err, refusal.ErrQuota) {
		err = nil // a memo may always become shorter
	}
	return m, err
}

// Take reserves what the memo needs beyond the stored one of replaced bytes, in the
// transaction that replaces it, or returns ErrQuota. stored is what the receipt counts
// for, and secret and metadata are its rows.
func (m *MemoReservation) Take(tx *rows.Tx, stored Charge, replaced int, secret, metadata seal.RowKey) error {
	needed := int64(m.size - replaced)
	if m.usage.ledger == nil {
		m.usage.memory.countReceipt(metadata, stored)
		return m.reserve(stored, needed)
	}
	change := stored
	switch {
	case needed > 0:
		change.Receipt = needed
		return m.usage.ledger.put(tx, change, m.elsewhere, m.limits, secret, metadata)
	case needed < 0:
		change.Receipt = -needed
		return m.usage.ledger.drop(tx, change, secret, metadata)
	}
	return nil
}

// reserve reserves in memory what this run needs beyond what earlier ones have reserved.
func (m *MemoReservation) reserve(stored Charge, needed int64) error {
	m.needed = needed
	before := m.reserved.Receipt
	m.reserved, m.reserved.Receipt = stored, before
	if needed <= before {
		return nil
	}
	more := stored
	more.Receipt = needed - before
	if err := m.usage.memory.reserve(more, m.limits); err != nil {
		return err
	}
	m.reserved.Receipt = needed
	return nil
}

// Finish releases what was reserved but not used, or what a shorter memo frees.
// failed is the error of the transaction.
func (m *MemoReservation) Finish(failed error) {
	spare := m.reserved
	if failed == nil {
		spare.Receipt -= m.needed
	}
	if spare.Receipt > 0 {
		m.usage.Cancel(spare, failed)
	}
}
