package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/file"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// dueRows returns the first due rows of the index.
func (sw *Sweeper) dueRows(ctx context.Context, now time.Time) (keys [][]byte, err error) {
	err = sw.store.View(ctx, func(tx *rows.Tx) (err error) {
		keys, err = receipt.DueRows(tx, now, rows.SweepBatch)
		return err
	})
	return keys, err
}

// swept is what one transaction of the sweeper ended.
type swept struct {
	ended     []ending
	forgotten []quota.Charge // of receipts
	handled   int
	lost      rows.Damage
}

// SweepBatch ends a batch of expired secrets and forgotten receipts.
func (sw *Sweeper) SweepBatch(ctx context.Context, now time.Time, lost *rows.Damage) (int, error) {
	keys, err := sw.dueRows(ctx, now)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	handled := 0
	var failed error
	err = rows.Apart(keys, func(keys [][]byte) error {
		done, err := sw.endRows(ctx, keys, now)
		if err != nil {
			return err
		}
		handled += done.handled
		lost.Add(&done.lost)
		// The rows are gone from the index, so a share that cannot be destroyed
		// does not hold up other secrets. It stays listed and is tried again.
		if err := sw.finish(ctx, done); failed == nil {
			failed = err
		}
		return nil
	}, func(key []byte, cause error) error {
		handled++
		lost.Note(receipt.BucketExpiry, cause)
		return sw.store.UpdateReserved(ctx, func(tx *rows.Tx) error { return receipt.PutOff(tx, key, now.Add(sweep.DamagedPause)) })
	})
	if err != nil {
		return handled, fmt.Errorf("ending expired secrets: %w", err)
	}
	return handled, failed
}

// endRows ends the secrets and receipts of some rows of the index, in one
// transaction.
func (sw *Sweeper) endRows(ctx context.Context, keys [][]byte, now time.Time) (*swept, error) {
	var done *swept
	err := sw.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		done = &swept{}
		for _, key := range keys {
			if err := sw.sweepOne(tx, key, now, done); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// finish does what follows a batch that is durable.
func (sw *Sweeper) finish(ctx context.Context, done *swept) error {
	for _, charged := range done.forgotten {
		sw.usage.Release(charged)
	}
	if len(done.ended) == 0 {
		return nil
	}
	return sw.secrets.finish(ctx, moveExpire, done.ended...)
}

// sweepOne handles one row of the index. A record that cannot be read must not
// hold up the others: its row is postponed and reported. A malformed row is
// deleted.
func (sw *Sweeper) sweepOne(tx *rows.Tx, key []byte, now time.Time, done *swept) error {
	done.handled++
	row, ok := receipt.DueReceipt(key)
	if !ok {
		done.lost.Note(receipt.BucketExpiry, rows.ErrDamaged)
		return receipt.PutOff(tx, key, time.Time{})
	}
	var next time.Time
	err := rows.Try(tx, func() (err error) {
		next, err = sw.endRow(tx, row, now, done)
		return err
	})
	switch {
	case errors.Is(err, rows.ErrHalfDone):
		return err
	case rows.IsDamage(err):
		done.lost.Note(receipt.BucketExpiry, err)
		next = now.Add(sweep.DamagedPause)
	case err != nil:
		return err
	}
	return receipt.PutOff(tx, key, next)
}

// keptPause is when a receipt is looked at again that is to be forgotten, but whose file is
// still being fetched.
const keptPause = 10 * time.Minute

// endRow expires a secret or forgets a receipt, once no reader fetches its file any more: what
// the file is stored as goes with it. It returns when the aggregate is due again, or the zero
// time for never. It returns an error about damage of a record
// before it writes anything.
func (sw *Sweeper) endRow(tx *rows.Tx, row seal.RowKey, now time.Time, done *swept) (next time.Time, err error) {
	r, err := receipt.Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return next, nil
	}
	if err != nil {
		return next, err
	}
	if r.State().Live() {
		if r, err = sw.expire(tx, r.Secret(), now, done); err != nil {
			return next, err
		}
	}
	if !now.Before(r.Forgotten()) {
		if kept, err := file.IsKept(tx, row); err != nil || kept {
			return now.Add(keptPause), err
		}
		charged := r.Charge()
		if err := sw.usage.EndReceipt(tx, charged, r.Secret(), row); err != nil {
			return next, err
		}
		if err := receipt.Forget(tx, row, r); err != nil {
			return next, err
		}
		done.forgotten = append(done.forgotten, charged)
		return next, nil
	}
	return r.Forgotten(), nil
}

// expire ends the secret in a row, and returns its receipt as it is then.
func (sw *Sweeper) expire(tx *rows.Tx, row seal.RowKey, now time.Time, done *swept) (*receipt.Record, error) {
	record, err := rows.Load(tx, BucketSecret, row[:], decodeSecret)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, fmt.Errorf("live receipt without secret: %w", rows.ErrInconsistent)
	}
	if err != nil {
		return nil, err
	}
	end, err := sw.secrets.endSecret(tx, row, record, moveExpire, "", false, now)
	if err != nil {
		return nil, err
	}
	done.ended = append(done.ended, end)
	return end.receipt, nil
}
