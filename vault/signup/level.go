package signup

import (
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/outbox"
	"hush/vault/rows"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// The reads and writes to which level fills up a transaction: as many as the
// most expensive one needs, a new account with its ticket and mail.
const (
	levelReads  = 11
	levelWrites = 14
)

// level fills up the reads and writes that a transaction has made since the given
// numbers of them, so that its work does not reveal whether an address has an account.
// It uses rows of an account that does not exist, in the buckets of the real rows, and
// leaves nothing behind.
func level(tx *rows.Tx, readsBefore, writesBefore int, now time.Time) error {
	reads, writes := tx.Work()
	missingReads, missingWrites := levelReads-(reads-readsBefore), levelWrites-(writes-writesBefore)
	if missingReads < 0 || missingWrites < 0 {
		return fmt.Errorf("%d reads and %d writes where %d and %d are the most: %w", reads-readsBefore, writes-writesBefore, levelReads, levelWrites, rows.ErrInconsistent)
	}
	id := account.NewAccountID(now)
	for range missingReads {
		if _, err := tx.Get(account.BucketAccount, id[:]); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
	}
	if missingWrites%2 == 1 {
		if err := tx.Delete(account.BucketAccount, id[:]); err != nil {
			return err
		}
	}
	row := (&account.Record{}).Encode()
	buckets := levelBuckets()
	for _, bucket := range buckets[:missingWrites/2] {
		if err := errors.Join(tx.Put(bucket, id[:], row), tx.Delete(bucket, id[:])); err != nil {
			return err
		}
	}
	return nil
}

// levelBuckets returns a bucket for each pair of writes that level may need.
func levelBuckets() [levelWrites / 2]string {
	return [...]string{
		ticket.BucketTicket, sweep.BucketDue, account.BucketAccount, outbox.BucketOutbox, account.BucketAddress, sweep.BucketDue, audit.BucketAudit,
	}
}
