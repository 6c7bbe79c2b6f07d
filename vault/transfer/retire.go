package transfer

import (
	"context"
	"fmt"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/shares"
)

// retire ends the service of the source for good. It takes the verifier away, so
// that programs that do not know the record of copies refuse it, too.
func (t *transfer) retire(ctx context.Context) error {
	if err := t.from.checkStopped(ctx, t.Now()); err != nil {
		return fmt.Errorf("source %s: %w", t.from.name, err)
	}
	record := t.from.record
	record.State = cluster.CopyLeft
	err := t.from.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if err := t.from.checkUnchanged(tx); err != nil {
			return err
		}
		if err := tx.Delete(rows.BucketSystem, []byte(keylist.SystemVerifier)); err != nil {
			return err
		}
		return cluster.PutCopy(tx, record)
	})
	if err != nil {
		return fmt.Errorf("retiring the source: %w", err)
	}
	t.from.record = record
	return nil
}

// release destroys the shares of the source, and lets the target be served.
func (t *transfer) release(ctx context.Context) error {
	if t.from.record.State == cluster.CopyLeft {
		if err := t.empty(ctx); err != nil {
			return fmt.Errorf("destroying the shares of the source: %w", err)
		}
	}
	record := t.to.record
	record.State = cluster.CopyArrived
	verifier := record.Verifier
	record.Verifier, record.Source, record.Bucket, record.After = nil, nil, "", nil
	err := t.to.store.Update(ctx, func(tx *rows.Tx) error {
		if err := rows.PutSystem(tx, keylist.SystemVerifier, verifier); err != nil {
			return err
		}
		if err := cluster.InitFormat(tx); err != nil {
			return err
		}
		return cluster.PutCopy(tx, record)
	})
	if err != nil {
		return fmt.Errorf("releasing the target: %w", err)
	}
	t.to.record = record
	return nil
}

// empty destroys the shares of the source, and the keys of their masks. What is
// left opens nothing, like a data folder after each secret in it was revealed.
func (t *transfer) empty(ctx context.Context) error {
	progress := &Progress{Phase: PhaseRetire, OfRows: t.report.Shares}
	err := t.from.eachSlot(ctx, func(slots []storage.Slot) error {
		defer t.tell(progress, len(slots), 0)
		return t.from.slots.Destroy(ctx, slots...)
	})
	for err == nil {
		var n int
		if n, err = t.from.store.Prune(ctx, shares.BucketEpoch, nil); n == 0 {
			break
		}
	}
	if err != nil {
		return err
	}
	record := t.from.record
	record.State = cluster.CopyEmptied
	return t.from.put(ctx, record)
}
