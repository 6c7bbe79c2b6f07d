package vault

import (
	"context"
	"errors"
	"fmt"
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

// sweepUntil sweeps every sweepEvery until ctx ends.
func (v *Vault) sweepUntil(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := v.Sweep(ctx); err != nil && ctx.Err() == nil {
			v.log.Error("sweeping", "cause", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep takes a reading of the clock, and unless the clock leapt ends every
// secret whose time has run out and forgets every receipt whose time has. It
// returns how many rows of the index it handled.
func (v *Vault) Sweep(ctx context.Context) (int, error) {
	safe, ok := v.clock.advance()
	if !ok {
		v.log.Warn("the clock leapt forward; nothing is deleted until it is confirmed", "behind", v.clock.now().Sub(safe).String())
		return 0, nil
	}
	err := v.store.Update(ctx, func(tx storage.Tx) error { return putMark(tx, safe) })
	if err != nil {
		return 0, fmt.Errorf("writing the clock's mark: %w", err)
	}
	total := 0
	for {
		n, err := v.sweepBatch(ctx, safe)
		total += n
		if err != nil || n == 0 {
			ended, dueErr := v.sweepDue(ctx, safe)
			return total + ended, errors.Join(err, dueErr, v.flushUses(ctx, safe), v.pruneAudit(ctx, safe))
		}
	}
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

// swept is what one batch of the sweeper ended.
type swept struct {
	slots    []storage.Slot
	releases []counted
	rows     []seal.RowKey // of receipts that changed
	handled  int
	damage   error // of the last row that could not be read
}

func (v *Vault) sweepBatch(ctx context.Context, now time.Time) (int, error) {
	keys, err := v.due(ctx, now)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	var done swept
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		done = swept{}
		for _, key := range keys {
			if err := v.sweepOne(tx, key, now, &done); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("ending what expired: %w", err)
	}
	for _, r := range done.releases {
		v.usage.release(r.network, r.size)
	}
	if done.damage != nil {
		v.log.Error("a record that is due cannot be read; it is tried again later", "cause", done.damage)
	}
	if len(done.slots) > 0 {
		err = v.destroy(ctx, done.slots...)
		v.watches.tell(done.rows...)
	}
	return done.handled, err
}

// sweepOne handles one row of the index. A record that cannot be read must not
// keep the others from their end: its row is put off, and reported.
func (v *Vault) sweepOne(tx storage.Tx, key []byte, now time.Time, done *swept) error {
	if len(key) != 8+len(seal.RowKey{}) {
		return errDamaged
	}
	row := seal.RowKey(key[8:])
	next, err := v.endRow(tx, row, now, done)
	if errors.Is(err, errDamaged) || errors.Is(err, errFault) {
		done.damage, next = err, now.Add(damagedPause)
	} else if err != nil {
		return err
	}
	done.handled++
	if err := tx.Delete(bucketExpiry, key); err != nil || next.IsZero() {
		return err
	}
	return tx.Put(bucketExpiry, expiryKey(next, row), nil)
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
		return next, forgetReceipt(tx, row, metadata)
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
		done.releases = append(done.releases, counted{network: record.network, size: int64(len(record.sealed))})
	}
	done.slots, done.rows = append(done.slots, record.slot), append(done.rows, record.metadata)
	return ended, nil
}

// pruneAudit forgets a batch of rows older than auditRetention.
func (v *Vault) pruneAudit(ctx context.Context, now time.Time) error {
	oldest := now.Add(-auditRetention)
	var keys [][]byte
	err := v.store.View(ctx, func(tx storage.Tx) error {
		keys = nil
		return ignoreEnough(tx.Range(bucketAudit, nil, nil, func(key, value []byte) error {
			row, err := decodeAudit(value)
			if err != nil {
				return err
			}
			if !row.time.Before(oldest) || len(keys) == sweepBatch {
				return errEnough
			}
			keys = append(keys, append([]byte(nil), key...))
			return nil
		}))
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	return v.store.Update(ctx, func(tx storage.Tx) error {
		for _, key := range keys {
			if err := tx.Delete(bucketAudit, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// reclaimOnce runs the background pass and logs what it found.
func (v *Vault) reclaimOnce(ctx context.Context) {
	began := v.clock.now()
	freed, err := v.Reclaim(ctx)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			v.log.Error("counting live secrets", "cause", err)
		}
		return
	}
	v.log.Debug("counted live secrets", "bytes", v.usage.bytes(), "orphaned_slots", freed, "took", v.clock.now().Sub(began).String())
}

// Reclaim is the background pass after a start: it counts the bytes of all
// live secrets and gives slots that neither a secret nor a queued mail owns back
// to the store. It
// returns how many slots it freed. After an error it may be called again and
// goes on where it stopped; once it is through it does nothing more. If a
// record cannot be read, whose slot is then unknown, no slot is freed.
func (v *Vault) Reclaim(ctx context.Context) (int, error) {
	recycler, recycles := v.shares.(storage.Recycler)
	var damage error
	var batch passed
	for {
		from, ok := v.usage.resume()
		if !ok {
			return 0, nil
		}
		if err := v.readBatch(ctx, from, &batch); err != nil {
			return 0, err
		}
		if batch.last == (seal.RowKey{}) {
			break
		}
		damage = errors.Join(damage, batch.damage)
		if recycles {
			for _, c := range batch.found {
				recycler.Used(storage.Slot{Number: c.slot})
			}
		}
		v.usage.count(batch.found, batch.last)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	mails, err := v.outboxSlots(ctx)
	if err != nil && !errors.Is(err, errDamaged) {
		return 0, err
	}
	damage = errors.Join(damage, err)
	v.usage.passed()
	if !recycles || damage != nil {
		return 0, damage
	}
	for _, slot := range mails {
		recycler.Used(slot)
	}
	return recycler.Reclaim(), nil
}

// passed is what one read of the background pass found.
type passed struct {
	found  []counted
	last   seal.RowKey // zero if there was nothing more
	damage error       // of the last record that could not be read
}

// readBatch reads what comes from on into batch, whose memory it uses again.
func (v *Vault) readBatch(ctx context.Context, from []byte, batch *passed) error {
	var record secretRecord
	return v.store.View(ctx, func(tx storage.Tx) error {
		*batch = passed{found: batch.found[:0]}
		return ignoreEnough(tx.Range(bucketSecret, from, nil, func(key, value []byte) error {
			if len(key) != len(seal.RowKey{}) {
				return errDamaged
			}
			batch.add(seal.RowKey(key), &record, value)
			if len(batch.found) == passBatch {
				return errEnough
			}
			return nil
		}))
	})
}

// add counts the record in value, for which it uses the memory of record.
func (b *passed) add(row seal.RowKey, record *secretRecord, value []byte) {
	b.last = row
	if err := record.decode(value); err != nil {
		b.damage = err
		return
	}
	b.found = append(b.found, counted{
		row: row, slot: record.slot.Number, network: record.network, size: int64(len(record.sealed)),
	})
}
