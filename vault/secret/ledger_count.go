package secret

import (
	"bytes"
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/quota"
	"hush/vault/rows"
)

const (
	// countBatchSize is the number of rows that one transaction counts.
	countBatchSize = 512
	// countRetry is the pause before a count that failed is tried again.
	countRetry = 5 * time.Second
	// tidyRows is the number of rows that are checked for owners with nothing
	// left, at a time.
	tidyRows = 4096
)

// passed reports whether the count that came to cursor has passed row.
func passed(cursor, row seal.RowKey) bool { return bytes.Compare(row[:], cursor[:]) <= 0 }

// counted reports whether the store is counted, and remembers it.
func (l *ledger) counted(ctx context.Context) (bool, error) {
	if l.done.Load() {
		return true, nil
	}
	var s quota.Cursor
	err := l.store.View(ctx, func(tx *rows.Tx) (err error) {
		s, err = quota.LoadCursor(tx)
		return err
	})
	if err == nil && s.Done {
		l.done.Store(true)
	}
	return err == nil && s.Done, err
}

// countStep counts a batch of a store that was filled elsewhere, as by a copy.
// It reports whether more is left. Several nodes may count at once: each step
// moves the cursor, so of two steps at one place one runs again after the other.
func (l *ledger) countStep(ctx context.Context) (more bool, err error) {
	if done, err := l.counted(ctx); err != nil || done {
		return false, err
	}
	err = l.store.Update(ctx, func(tx *rows.Tx) error {
		s, err := quota.LoadCursor(tx)
		if err != nil || s.Done {
			return err
		}
		node, shared := tx.Node()
		if !shared {
			return cluster.ErrNodeLost
		}
		found, err := countNext(tx, &s)
		if err != nil {
			return err
		}
		for _, c := range found {
			own, err := c.load(tx, node)
			if err != nil {
				return err
			}
			if err := c.add(tx, node, own, +1); err != nil {
				return err
			}
		}
		return s.Put(tx)
	})
	if err != nil {
		return true, err
	}
	done, err := l.counted(ctx)
	return !done, err
}

// countNext reads the next secrets, or after the last one the next receipts, and
// moves the cursor behind them. It skips records that cannot be read: the sweep
// reports them when they are due.
func countNext(tx *rows.Tx, s *quota.Cursor) (found []charge, err error) {
	read, err := walk(tx, BucketSecret, &s.Secret, func(value []byte) {
		if r, err := decodeSecret(value); err == nil {
			found = append(found, r.charge())
		}
	})
	if err != nil || read == countBatchSize {
		return found, err
	}
	read, err = walk(tx, BucketMetadata, &s.Metadata, func(value []byte) {
		if r, err := decodeMetadata(value); err == nil {
			found = append(found, r.charge())
		}
	})
	if s.Done = read < countBatchSize; err != nil || !s.Done {
		return found, err
	}
	return found, claim.Range(tx, func(r *claim.Record) { found = append(found, claimCharge(r)) })
}

func walk(tx *rows.Tx, bucket string, cursor *seal.RowKey, found func(value []byte)) (read int, err error) {
	from := append(append([]byte(nil), cursor[:]...), 0)
	err = tx.Range(bucket, from, nil, func(key, value []byte) error {
		if len(key) != len(cursor) {
			return nil
		}
		*cursor = seal.RowKey(key)
		found(value)
		if read++; read == countBatchSize {
			return rows.ErrEnough
		}
		return nil
	})
	return read, rows.IgnoreEnough(err)
}

// count counts the whole store.
func (l *ledger) count(ctx context.Context) error {
	for {
		more, err := l.countStep(ctx)
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
	l := sw.usage.ledger
	if l == nil {
		return
	}
	for {
		err := l.count(ctx)
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
	if sw.usage.ledger == nil {
		return nil
	}
	_, err := sw.usage.ledger.countStep(ctx)
	return err
}

// ForgetUsage takes away what a store counted, before it is filled by a copy. It
// is counted anew when it is served.
func ForgetUsage(tx storage.Tx) error { return quota.Delete(tx, "") }

// TidyUsage deletes rows of accounts and networks whose sum is zero: a secret
// that began on one node and ended on another leaves a row of each. It goes
// through the bucket a part at a time, so in a large store that takes a while.
func (sw *Sweeper) TidyUsage(ctx context.Context, _ time.Time, _ *rows.Damage) (int, error) {
	l := sw.usage.ledger
	if l == nil {
		return 0, nil
	}
	settled, err := l.settled(ctx)
	if err != nil || len(settled) == 0 {
		return 0, err
	}
	err = l.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		for _, who := range settled {
			if err := deleteSettled(tx, who); err != nil {
				return err
			}
		}
		return nil
	})
	return len(settled), err
}

// settled returns some of those whose sum is zero, from where the last call
// ended.
func (l *ledger) settled(ctx context.Context) (settled []quota.Key, err error) {
	l.mu.Lock()
	from := l.tidied
	l.mu.Unlock()
	var last quota.Key
	err = l.store.View(ctx, func(tx *rows.Tx) error {
		settled, last = nil, ""
		var sum quota.Tally
		read := 0
		end := func() {
			if last != "" && last[0] != quota.KindTotal && sum == (quota.Tally{}) && len(settled) < rows.SweepBatch {
				settled = append(settled, last)
			}
		}
		err := quota.Range(tx, rows.PrefixEnd([]byte(from)), func(who quota.Key, value []byte) error {
			if who != last {
				end()
				if read >= tidyRows {
					return rows.ErrEnough
				}
				last, sum = who, quota.Tally{}
			}
			read++
			if t, err := quota.DecodeTally(value); err == nil {
				sum = sum.Plus(t)
			}
			return nil
		})
		if err == nil {
			end()
			last = ""
		}
		return rows.IgnoreEnough(err)
	})
	if err == nil {
		l.mu.Lock()
		l.tidied = last
		l.mu.Unlock()
	}
	return settled, err
}

// deleteSettled deletes the rows of who if all can be read and their sum is still
// zero.
func deleteSettled(tx *rows.Tx, who quota.Key) error {
	own, others, err := quota.SumTallies(tx, who, 0)
	if rows.IsDamage(err) || err == nil && own.Plus(others) != (quota.Tally{}) {
		return nil
	}
	if err != nil {
		return err
	}
	return quota.Delete(tx, who)
}
