package account

import (
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// The reads and writes to which level fills up a transaction: as many as the
// most expensive one needs, a new account with its ticket and mail.
const (
	evenReads  = 11
	evenWrites = 14
)

// evenTx counts the reads and writes of a transaction whose work must not
// reveal whether an address has an account.
type evenTx struct {
	storage.Tx
	reads, writes int
}

// Unwrap implements rows.Wrapper.
func (tx *evenTx) Unwrap() storage.Tx { return tx.Tx }

// Get implements storage.Tx.
func (tx *evenTx) Get(bucket string, key []byte) ([]byte, error) {
	tx.reads++
	return tx.Tx.Get(bucket, key)
}

// Put implements storage.Tx.
func (tx *evenTx) Put(bucket string, key, value []byte) error {
	tx.writes++
	return tx.Tx.Put(bucket, key, value)
}

// Delete implements storage.Tx.
func (tx *evenTx) Delete(bucket string, key []byte) error {
	tx.writes++
	return tx.Tx.Delete(bucket, key)
}

// Range implements storage.Tx.
func (tx *evenTx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	tx.reads++
	return tx.Tx.Range(bucket, from, to, fn)
}

// level fills up the reads and writes to fixed numbers. It uses rows of an
// account that does not exist, in the buckets of the real rows, and leaves
// nothing behind.
func (tx *evenTx) level(now time.Time) error {
	if tx.reads > evenReads || tx.writes > evenWrites {
		return fmt.Errorf("%d reads and %d writes where %d and %d are the most: %w", tx.reads, tx.writes, evenReads, evenWrites, rows.ErrInconsistent)
	}
	id := NewAccountID(now)
	for tx.reads < evenReads {
		if _, err := tx.Get(BucketAccount, id[:]); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
	}
	if (evenWrites-tx.writes)%2 == 1 {
		if err := tx.Delete(BucketAccount, id[:]); err != nil {
			return err
		}
	}
	row := (&Record{}).Encode()
	for _, bucket := range evenBuckets() {
		if tx.writes == evenWrites {
			return nil
		}
		if err := errors.Join(tx.Put(bucket, id[:], row), tx.Delete(bucket, id[:])); err != nil {
			return err
		}
	}
	return nil
}

// evenBuckets returns a bucket for each pair of writes that level may need.
func evenBuckets() [evenWrites / 2]string {
	return [...]string{
		BucketTicket, rows.BucketDue, BucketAccount, outbox.BucketOutbox, BucketAddress, rows.BucketDue, rows.BucketAudit,
	}
}
