package secret

import (
	"context"
	"errors"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// UpdateMemo sets the sender's note; an empty one removes it. It returns
// ErrNotFound, or ErrQuota if the account or network has no quota left for a
// longer note.
func (re *Receipts) UpdateMemo(ctx context.Context, c caller.Caller, key string, memo caller.Text) (Metadata, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now, row := re.clock.Now(), receipt.RowKey(seal.KindMetadata)
	found, err := re.findMetadata(ctx, row, now)
	if err != nil {
		return Metadata{}, err
	}
	var sealed []byte
	if memo != "" {
		if err := re.store.CheckDiskSpace(); err != nil {
			return Metadata{}, err
		}
		sealed = re.keys.SealMetadata(receipt, row, labelMemo, []byte(memo))
	}
	memoQuota, err := re.newMemoReservation(ctx, found.record, len(sealed))
	if err != nil {
		return Metadata{}, err
	}
	err = re.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if found.record, err = getMetadata(tx, row); err != nil {
			return err
		}
		if err := memoQuota.want(tx, row, found.record, len(sealed)); err != nil {
			return err
		}
		found.record.sealedMemo, found.record.updated = sealed, now
		if err := tx.Put(BucketMetadata, row[:], found.record.encode()); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.Memo, row)
	})
	memoQuota.settle(err)
	if err != nil {
		return Metadata{}, err
	}
	re.watches.Tell(row)
	found.record = found.record.asOf(now)
	return re.showMetadata(ctx, c, receipt, row, found, now), nil
}

// memoReservation is the quota that a memo needs beyond the memo that it
// replaces. A store may run a transaction several times: each run calls want,
// and settle follows the last run.
type memoReservation struct {
	usage     *Usage
	limits    caller.Limits
	elsewhere elsewhere // bytes that other nodes counted
	held      charge    // reserved so far
	needed    int64     // by the last run; negative for a shorter memo
}

// newMemoReservation asks what other nodes counted, for a sealed memo of size
// bytes, or returns ErrQuota.
func (re *Receipts) newMemoReservation(ctx context.Context, r *MetadataRecord, size int) (*memoReservation, error) {
	m := &memoReservation{usage: re.usage, limits: re.limits}
	if re.usage.ledger == nil || size == 0 {
		return m, nil
	}
	charged := r.charge()
	charged.receipt = int64(max(0, size-len(r.sealedMemo)))
	var err error
	m.elsewhere, err = re.usage.ledger.admit(ctx, charged, re.limits)
	if charged.receipt == 0 && errors.Is(err, refusal.ErrQuota) {
		err = nil // a memo may always become shorter
	}
	return m, err
}

// want reserves what a sealed memo of size bytes needs beyond the stored memo
// of r, or returns ErrQuota.
func (m *memoReservation) want(tx *rows.Tx, row seal.RowKey, r *MetadataRecord, size int) error {
	charged := r.charge()
	if m.usage.ledger != nil {
		charged.receipt = int64(size - len(r.sealedMemo))
		if charged.receipt > 0 {
			return m.usage.put(tx, charged, m.elsewhere, m.limits, r.Secret, row)
		}
		if charged.receipt = -charged.receipt; charged.receipt == 0 {
			return nil
		}
		return m.usage.drop(tx, charged, r.Secret, row)
	}
	m.usage.adopt(row, charged)
	m.needed = int64(size - len(r.sealedMemo))
	held := m.held.receipt
	m.held, m.held.receipt = charged, held
	if more := m.needed - held; more > 0 {
		charged.receipt = more
		if err := m.usage.take(charged, m.limits); err != nil {
			return err
		}
		m.held.receipt = m.needed
	}
	return nil
}

// settle releases what was reserved but not used, or what a shorter memo frees.
// failed is the error of the transaction.
func (m *memoReservation) settle(failed error) {
	spare := m.held
	if failed == nil {
		spare.receipt -= m.needed
	}
	if spare.receipt > 0 {
		m.usage.cancel(spare, failed)
	}
}
