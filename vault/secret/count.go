package secret

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/claim"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/rows"
)

const (
	// countBatchSize is the number of rows that one transaction counts.
	countBatchSize = 512
	// countRetry is the pause before a count that failed is tried again.
	countRetry = 5 * time.Second
)

// countStep counts a batch of a store that was filled elsewhere, as by a copy.
// It reports whether more is left. Several nodes may count at once: each step
// moves the cursor, so of two steps at one place one runs again after the other.
func (sw *Sweeper) countStep(ctx context.Context) (more bool, err error) {
	if done, err := sw.usage.Counted(ctx); err != nil || done {
		return false, err
	}
	err = sw.store.Update(ctx, func(tx *rows.Tx) error {
		s, err := quota.LoadCursor(tx)
		if err != nil || s.Done {
			return err
		}
		charges, err := countNext(tx, &s)
		if err != nil {
			return err
		}
		return sw.usage.AddCounted(tx, charges, s)
	})
	if err != nil {
		return true, err
	}
	done, err := sw.usage.Counted(ctx)
	return !done, err
}

// countNext reads the next secrets, or after the last one the next receipts, and
// moves the cursor behind them. It skips records that cannot be read: the sweep
// reports them when they are due.
func countNext(tx *rows.Tx, s *quota.Cursor) (charges []quota.Charge, err error) {
	var secrets countBatch
	if err := secrets.read(tx, after(s.Secret), countBatchSize); err != nil {
		return nil, err
	}
	if secrets.rows > 0 {
		s.Secret = secrets.last
	}
	for _, r := range secrets.stored {
		charges = append(charges, r.Charge)
	}
	if secrets.rows == countBatchSize {
		return charges, nil
	}
	var receipts receipt.Charges
	if err := receipts.Read(tx, after(s.Metadata), countBatchSize); err != nil {
		return charges, err
	}
	if receipts.Rows > 0 {
		s.Metadata = receipts.Last
	}
	for _, r := range receipts.Stored {
		charges = append(charges, r.Charge)
	}
	s.Done = receipts.Rows < countBatchSize
	if !s.Done {
		return charges, nil
	}
	return charges, claim.Range(tx, func(r *claim.Record) { charges = append(charges, r.Charge()) })
}

// after returns the first key behind a row.
func after(row seal.RowKey) []byte { return append(row[:], 0) }

// countStore counts a store that nodes share, unless it is counted.
func (sw *Sweeper) countStore(ctx context.Context) error {
	for {
		more, err := sw.countStep(ctx)
		if err != nil || !more {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// CountUntil counts a store that nodes share, if it was filled elsewhere, as by
// a copy. On any other it returns at once.
func (sw *Sweeper) CountUntil(ctx context.Context) {
	if !sw.usage.Shared() {
		return
	}
	for {
		err := sw.countStore(ctx)
		if err == nil || ctx.Err() != nil || errors.Is(err, storage.ErrClosed) {
			return
		}
		sw.log.Error("counting stored bytes", "cause", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(countRetry):
		}
	}
}

// Begin marks an empty store as counted, so that no count has to be run. A store
// that is not shared needs none.
func (sw *Sweeper) Begin(ctx context.Context) error {
	if !sw.usage.Shared() {
		return nil
	}
	_, err := sw.countStep(ctx)
	return err
}
