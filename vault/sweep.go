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
// returns how many it ended or forgot.
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
			return total, errors.Join(err, v.pruneAudit(ctx, safe))
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
	handled  int
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
	if len(done.slots) > 0 {
		err = v.destroy(ctx, done.slots...)
	}
	return done.handled, err
}

// sweepOne handles one row of the index: it expires a secret that waits, or
// forgets a receipt, or moves the row to the receipt's end.
func (v *Vault) sweepOne(tx storage.Tx, key []byte, now time.Time, done *swept) error {
	if len(key) != 8+len(seal.RowKey{}) {
		return errDamaged
	}
	row := seal.RowKey(key[8:])
	if err := tx.Delete(bucketExpiry, key); err != nil {
		return err
	}
	done.handled++
	metadata, err := getMetadata(tx, row)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if metadata.state.Live() {
		if metadata, err = v.expire(tx, metadata, now, done); err != nil {
			return err
		}
	}
	if !now.Before(metadata.forgotten()) {
		return tx.Delete(bucketMetadata, row[:])
	}
	return tx.Put(bucketExpiry, expiryKey(metadata.forgotten(), row), nil)
}

func (v *Vault) expire(tx storage.Tx, metadata *metadataRecord, now time.Time, done *swept) (*metadataRecord, error) {
	data, err := tx.Get(bucketSecret, metadata.secret[:])
	if err != nil {
		return nil, fmt.Errorf("live receipt without secret: %w", errors.Join(err, errFault))
	}
	record, err := decodeSecret(data)
	if err != nil {
		return nil, err
	}
	row := metadata.secret
	if v.usage.touch(row, record.slot.Number) {
		done.releases = append(done.releases, counted{network: record.network, size: int64(len(record.sealed))})
	}
	done.slots = append(done.slots, record.slot)
	return v.endSecret(tx, row, record, moveExpire, now)
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
// live secrets and gives slots that no record owns back to the store. It
// returns how many slots it freed. After an error it may be called again and
// goes on where it stopped; once it is through it does nothing more.
func (v *Vault) Reclaim(ctx context.Context) (int, error) {
	recycler, recycles := v.shares.(storage.Recycler)
	for {
		from, ok := v.usage.resume()
		if !ok {
			return 0, nil
		}
		batch, err := v.readBatch(ctx, from)
		if err != nil {
			return 0, err
		}
		if len(batch) == 0 {
			break
		}
		last := batch[len(batch)-1].row
		if recycles {
			for _, c := range batch {
				recycler.Used(storage.Slot{Number: c.slot})
			}
		}
		v.usage.count(batch, last)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	v.usage.passed()
	if !recycles {
		return 0, nil
	}
	return recycler.Reclaim(), nil
}

func (v *Vault) readBatch(ctx context.Context, from []byte) (batch []counted, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		batch = nil
		return ignoreEnough(tx.Range(bucketSecret, from, nil, func(key, value []byte) error {
			c, err := countSecret(key, value)
			if err != nil {
				return err
			}
			if batch = append(batch, c); len(batch) == passBatch {
				return errEnough
			}
			return nil
		}))
	})
	return batch, err
}

// countSecret reads of a record only what the pass needs.
func countSecret(key, value []byte) (counted, error) {
	record, err := decodeSecret(value)
	if err != nil || len(key) != len(seal.RowKey{}) {
		return counted{}, errors.Join(err, errDamaged)
	}
	return counted{
		row: seal.RowKey(key), slot: record.slot.Number,
		network: record.network, size: int64(len(record.sealed)),
	}, nil
}
