package claim

import (
	"context"
	"time"

	"hush/vault/cluster"
	"hush/vault/receipt"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Drop ends every claim of a store that nothing serves, and returns how many there
// were: what was revealed must not be revealed again by a restore. The receipts say that
// the claims lapsed at now. The shares of the claims are the caller's to destroy. A claim
// that cannot be read is deleted.
func Drop(ctx context.Context, store cluster.Store, now time.Time) (int, error) {
	dropped, err := sweep.Drain(ctx, store, BucketClaim, func(tx *rows.Tx, keys [][]byte) error {
		for _, key := range keys {
			r, err := rows.Load(tx, BucketClaim, key, decode)
			if err == nil {
				err = receipt.ClaimEnded(tx, r.Receipt, false, now)
			}
			if err != nil && !rows.IsDamage(err) {
				return err
			}
			if err := tx.Delete(BucketClaim, key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return dropped, err
	}
	_, err = sweep.Drain(ctx, store, BucketDeadline, func(tx *rows.Tx, keys [][]byte) error {
		return rows.DeleteAll(tx, BucketDeadline, keys)
	})
	return dropped, err
}
