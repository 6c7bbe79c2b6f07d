package vault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
)

const (
	// sweepEvery keeps the promise that what expired is shredded within 60 s.
	sweepEvery = 20 * time.Second
	// sweepBatch bounds one transaction of the sweeper, passBatch one read of
	// the background pass.
	sweepBatch = 256
	passBatch  = 4096
	// damagedPause is how long a record that cannot be read is left alone.
	damagedPause = 24 * time.Hour
)

// errEnough ends a walk early.
var errEnough = errors.New("enough")

func ignoreEnough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// expiryKey is the row of the index that the sweeper walks. An aggregate has
// one row: at first at the secret's end, afterwards at the receipt's.
func expiryKey(at time.Time, metadata seal.RowKey) []byte {
	return append(bigEndian(millis(at)), metadata[:]...)
}

// sweepUntil sweeps every sweepEvery until ctx ends. Secrets and shares go
// first; what else is due has a loop of its own, so that however much of it
// there is, no secret outlives its time for it.
func (v *Vault) sweepUntil(ctx context.Context) {
	tidy := make(chan time.Time, 1)
	v.background(func() { v.tidyUntil(ctx, tidy) })
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		now, ok, err := v.sweepTime(ctx)
		if err == nil && ok {
			_, err = v.sweepSecrets(ctx, now)
			select {
			case tidy <- now:
			default:
			}
		}
		v.swept(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tidyUntil ends what is due at the moments that it is told, until ctx ends.
func (v *Vault) tidyUntil(ctx context.Context, moments <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-moments:
			_, err := v.tidy(ctx, now)
			v.swept(ctx, err)
		}
	}
}

func (v *Vault) swept(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
		v.log.Error("sweeping", "cause", err)
	}
}

// Sweep takes a reading of the clock, and unless the clock leapt ends
// everything whose time has run out: secrets, receipts, sessions, tokens, rows
// of the audit trail and whatever else has an end. It retries the shares that
// could not be destroyed, and returns how many rows it handled. What cannot be
// read is passed over and reported.
func (v *Vault) Sweep(ctx context.Context) (int, error) {
	now, ok, err := v.sweepTime(ctx)
	if err != nil || !ok {
		return 0, err
	}
	ended, err := v.sweepSecrets(ctx, now)
	tidied, tidyErr := v.tidy(ctx, now)
	return ended + tidied, errors.Join(err, tidyErr)
}

// sweepTime takes a reading of the clock and stores its mark. It returns the
// moment up to which deleting is safe, and whether any is.
func (v *Vault) sweepTime(ctx context.Context) (now time.Time, ok bool, err error) {
	now, ok = v.clock.advance()
	if !ok {
		v.log.Warn("the clock leapt forward; nothing is deleted until it is confirmed", "behind", v.clock.now().Sub(now).String())
		return now, false, nil
	}
	if err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error { return putMark(tx, now) }); err != nil {
		return now, false, fmt.Errorf("writing the clock's mark: %w", err)
	}
	return now, true, nil
}

// sweepSecrets ends secrets and receipts, and destroys the shares that are still
// listed.
func (v *Vault) sweepSecrets(ctx context.Context, now time.Time) (int, error) {
	if v.room != nil {
		v.room() // which makes room, where nobody else asks
	}
	ended, err := v.rounds(ctx, now, v.sweepBatch)
	return ended, errors.Join(err, v.shredOverdue(ctx))
}

// tidy ends everything else.
func (v *Vault) tidy(ctx context.Context, now time.Time) (int, error) {
	n, err := v.rounds(ctx, now, v.sweepDueBatch, v.pruneAudit, v.prunePace)
	return n, errors.Join(err, v.flushUses(ctx, now))
}

// batch handles some of the rows that are due, in bounded transactions, and
// returns how many, 0 if nothing is due. It adds what it could not read to lost.
type batch func(ctx context.Context, now time.Time, lost *unread) (int, error)

// rounds runs one batch of each kind in turn until nothing is due. Callers get
// at the store between any two transactions. A batch that failed and handled
// nothing is over; the others go on. The first error is returned.
func (v *Vault) rounds(ctx context.Context, now time.Time, kinds ...batch) (total int, err error) {
	var lost unread
	defer lost.report(v.log)
	for len(kinds) > 0 {
		kinds = slices.DeleteFunc(kinds, func(next batch) bool {
			n, failed := next(ctx, now, &lost)
			total += n
			if err == nil {
				err = failed
			}
			return n == 0
		})
		if ctx.Err() != nil {
			return total, ctx.Err()
		}
		runtime.Gosched()
	}
	return total, err
}

// pruned deletes rows of a bucket from its begin up to a key, at most
// sweepBatch of them, and returns how many.
func (v *Vault) pruned(ctx context.Context, bucket string, to []byte) (n int, err error) {
	err = v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		var keys [][]byte
		err := tx.Range(bucket, nil, to, func(key, _ []byte) error {
			keys = append(keys, append([]byte(nil), key...))
			if len(keys) == sweepBatch {
				return errEnough
			}
			return nil
		})
		n = len(keys)
		return errors.Join(ignoreEnough(err), deleteAll(tx, bucket, keys))
	})
	return n, err
}

// due returns the first rows of the index that are due.
func (v *Vault) due(ctx context.Context, now time.Time) (keys [][]byte, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		keys = nil
		return ignoreEnough(tx.Range(bucketExpiry, nil, bigEndian(millis(now)+1), func(key, _ []byte) error {
			keys = append(keys, append([]byte(nil), key...))
			if len(keys) == sweepBatch {
				return errEnough
			}
			return nil
		}))
	})
	return keys, err
}

// swept is what one transaction of the sweeper ended.
type swept struct {
	slots    []storage.Slot
	releases []charge
	rows     []seal.RowKey // of receipts that changed
	handled  int
	lost     unread
}

func (v *Vault) sweepBatch(ctx context.Context, now time.Time, lost *unread) (int, error) {
	keys, err := v.due(ctx, now)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	handled := 0
	var failed error
	err = apart(keys, func(keys [][]byte) error {
		done, err := v.endRows(ctx, keys, now)
		if err != nil {
			return err
		}
		handled += done.handled
		lost.add(&done.lost)
		// The rows are gone from the index, so a share that resists keeps no
		// other secret from its end. It stays listed and is tried again.
		if err := v.finish(ctx, done); failed == nil {
			failed = err
		}
		return nil
	}, func(key []byte, cause error) error {
		handled++
		lost.note(bucketExpiry, cause)
		return v.store.UpdateReserved(ctx, func(tx storage.Tx) error { return putOffRow(tx, key, now.Add(damagedPause)) })
	})
	if err != nil {
		return handled, fmt.Errorf("ending what expired: %w", err)
	}
	return handled, failed
}

// endRows ends what some rows of the index stand for, in one transaction.
func (v *Vault) endRows(ctx context.Context, keys [][]byte, now time.Time) (*swept, error) {
	var done *swept
	err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		done = &swept{}
		for _, key := range keys {
			if err := v.sweepOne(tx, key, now, done); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// finish gives back what was ended durably.
func (v *Vault) finish(ctx context.Context, done *swept) error {
	for _, r := range done.releases {
		v.usage.release(r)
	}
	if len(done.slots) == 0 {
		return nil
	}
	err := v.destroy(ctx, done.slots...)
	v.watches.tell(done.rows...)
	return err
}

// sweepOne handles one row of the index. A record that cannot be read must not
// keep the others from their end: its row is put off, and reported. A row that
// is none goes.
func (v *Vault) sweepOne(tx storage.Tx, key []byte, now time.Time, done *swept) error {
	done.handled++
	if len(key) != 8+len(seal.RowKey{}) {
		done.lost.note(bucketExpiry, errDamaged)
		return tx.Delete(bucketExpiry, key)
	}
	var next time.Time
	err := tryRow(tx, func(tx storage.Tx) (err error) {
		next, err = v.endRow(tx, seal.RowKey(key[8:]), now, done)
		return err
	})
	switch {
	case errors.Is(err, errHalfDone):
		return err
	case unreadable(err):
		done.lost.note(bucketExpiry, err)
		next = now.Add(damagedPause)
	case err != nil:
		return err
	}
	return putOffRow(tx, key, next)
}

// putOffRow moves a row of the index; the zero time takes it out.
func putOffRow(tx storage.Tx, key []byte, next time.Time) error {
	if err := tx.Delete(bucketExpiry, key); err != nil || next.IsZero() {
		return err
	}
	return tx.Put(bucketExpiry, append(bigEndian(millis(next)), key[8:]...), nil)
}

// endRow expires a secret that waits, or forgets a receipt, and returns when
// the aggregate is due again, or the zero time for never. An error that tells
// of damage comes before anything is written.
func (v *Vault) endRow(tx storage.Tx, row seal.RowKey, now time.Time, done *swept) (next time.Time, err error) {
	metadata, err := getMetadata(tx, row)
	if errors.Is(err, ErrNotFound) {
		return next, nil
	}
	if err != nil {
		return next, err
	}
	if metadata.state.Live() {
		if metadata, err = v.expire(tx, metadata, now, done); err != nil {
			return next, err
		}
	}
	if !now.Before(metadata.forgotten()) {
		charged := metadata.charge()
		v.usage.adopt(row, charged)
		if err := forgetReceipt(tx, row, metadata); err != nil {
			return next, err
		}
		done.releases = append(done.releases, charged)
		return next, nil
	}
	return metadata.forgotten(), nil
}

func (v *Vault) expire(tx storage.Tx, metadata *metadataRecord, now time.Time, done *swept) (*metadataRecord, error) {
	row := metadata.secret
	data, err := tx.Get(bucketSecret, row[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil, fmt.Errorf("live receipt without secret: %w", errFault)
	}
	if err != nil {
		return nil, err
	}
	record, err := decodeSecret(data)
	if err != nil {
		return nil, err
	}
	counts := v.usage.touch(row, record.slot.Number)
	ended, err := v.endSecret(tx, row, record, moveExpire, "", now)
	if err != nil {
		return nil, err
	}
	if counts {
		done.releases = append(done.releases, record.charge())
	}
	done.slots, done.rows = append(done.slots, record.slot), append(done.rows, record.metadata)
	return ended, nil
}
