package outbox

import (
	"time"

	"hush/vault/counter"
	"hush/vault/rows"
)

// DropMail drops a queued mail of a restored store. Its receipt says so. Its share is not
// restored. A mail that cannot be read is deleted.
func DropMail(tx *rows.Tx, key []byte, now time.Time) error {
	c, err := getMail(tx, key)
	if err == nil {
		err = c.record.tell(tx, DeliveryDropped, now)
	}
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Queued, By: -1}); err != nil {
		return err
	}
	return tx.Delete(BucketOutbox, key)
}
