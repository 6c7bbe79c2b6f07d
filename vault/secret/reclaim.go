package secret

import (
	"context"
	"errors"
	"slices"

	"hush/seal"
	"hush/storage"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/rows"
)

// passBatch bounds one read of the background pass.
const passBatch = 4096

// ReclaimOnce runs the background pass and logs its result.
func (sw *Sweeper) ReclaimOnce(ctx context.Context) {
	began := sw.clock.Now()
	freed, err := sw.Reclaim(ctx)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			sw.log.Error("counting live secrets", "cause", err)
		}
		return
	}
	sw.log.Debug("counted live secrets", "bytes", sw.usage.ProcessBytes(), "orphaned_slots", freed, "took", sw.clock.Now().Sub(began).String())
}

// Reclaim runs the background pass after a start. It counts the bytes of all
// live secrets and receipts, and frees slots that no secret, claim, upload or queued
// mail owns. It returns the number of freed slots. After an error it may be
// called again and continues where it stopped; a finished pass does nothing. If
// the record of one cannot be read, its slot is unknown, and
// Reclaim frees no slot. On a store that nodes share, it only counts a store that
// was filled elsewhere.
func (sw *Sweeper) Reclaim(ctx context.Context) (int, error) {
	if sw.usage.Shared() {
		return 0, sw.countStore(ctx)
	}
	pass := sw.usage.Pass()
	if pass == nil {
		return 0, nil
	}
	recycler, recycles := sw.shares.Recycler()
	var batch countBatch
	for {
		from := pass.NextSecret()
		if err := sw.store.View(ctx, func(tx *rows.Tx) error { return batch.read(tx, from, passBatch) }); err != nil {
			return 0, err
		}
		if batch.last == (seal.RowKey{}) {
			break
		}
		_ = pass.Damaged(batch.damage)
		if recycles {
			for _, c := range batch.stored {
				recycler.Used(storage.Slot{Number: c.Slot})
			}
		}
		pass.CountSecrets(batch.stored, batch.last)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	if err := sw.countReceipts(ctx, pass); err != nil {
		return 0, err
	}
	mails, err := sw.outbox.Slots(ctx)
	claims, claimErr := sw.claims.Slots(ctx)
	uploads, uploadErr := sw.secrets.files.Slots(ctx)
	if err = errors.Join(err, claimErr, uploadErr); err != nil && !errors.Is(err, rows.ErrDamaged) {
		return 0, err
	}
	damage := pass.Damaged(err)
	pass.Finish()
	if !recycles || damage != nil {
		return 0, damage
	}
	for _, slot := range slices.Concat(mails, claims, uploads) {
		recycler.Used(slot)
	}
	return recycler.Reclaim(), nil
}

// countReceipts counts receipts for the pass.
func (sw *Sweeper) countReceipts(ctx context.Context, pass *quota.Pass) error {
	var batch receipt.Charges
	for {
		from := pass.NextReceipt()
		err := sw.store.View(ctx, func(tx *rows.Tx) error { return batch.Read(tx, from, passBatch) })
		if err != nil {
			return err
		}
		if batch.Last == (seal.RowKey{}) {
			return nil
		}
		pass.CountReceipts(batch.Stored, batch.Last)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// countBatch is what a batch of secrets counts for.
type countBatch struct {
	stored []quota.StoredSecret // those that can be read
	last   seal.RowKey          // zero if there was none
	rows   int                  // how many were read
	damage error                // of the last record that could not be read
}

// read replaces the batch, whose memory it uses again, by that of at most limit rows from
// a key on.
func (b *countBatch) read(tx *rows.Tx, from []byte, limit int) error {
	var record Record
	*b = countBatch{stored: b.stored[:0]}
	return rows.IgnoreEnough(tx.Range(BucketSecret, from, nil, func(key, value []byte) error {
		if len(key) != len(b.last) {
			b.damage = rows.ErrDamaged
			return nil
		}
		b.last = seal.RowKey(key)
		if err := record.decode(value); err != nil {
			b.damage = err
		} else {
			b.stored = append(b.stored, quota.StoredSecret{Row: b.last, Slot: record.slot.Number, Charge: record.charge()})
		}
		if b.rows++; b.rows == limit {
			return rows.ErrEnough
		}
		return nil
	}))
}
