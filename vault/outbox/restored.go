package outbox

import (
	"context"
	"time"

	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// DropMails drops every queued mail of a store that nothing serves, and returns
// how many there were. Receipts say so. The shares of the mails are the caller's
// to destroy. A mail that cannot be read is deleted.
func DropMails(ctx context.Context, store cluster.Store, now time.Time) (int, error) {
	return sweep.Drain(ctx, store, BucketOutbox, func(tx *rows.Tx, keys [][]byte) error {
		for _, key := range keys {
			if err := dropMail(tx, key, now); err != nil {
				return err
			}
		}
		return counter.Add(tx, counter.Change{Counter: counter.Queued, By: -int64(len(keys))})
	})
}

func dropMail(tx *rows.Tx, key []byte, now time.Time) error {
	c, err := getMail(tx, key)
	if err == nil {
		err = c.record.tell(tx, DeliveryDropped, now)
	}
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	return tx.Delete(BucketOutbox, key)
}
