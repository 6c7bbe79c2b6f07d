package claim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

const (
	// lapseEvery is the interval at which due claims are ended.
	lapseEvery = time.Second
	// seekEvery is the number of intervals after which a node looks for the
	// claims of others.
	seekEvery = 10
	// lapseBatch is the maximum number of claims that one transaction ends, and
	// pageBytes that of bytes that one reads, but for the last row.
	lapseBatch = 16
	pageBytes  = 1 << 20
)

// Begin ends the claims that must not outlive a start, and gets to know the
// others. It runs before the first request. A deadline or a limit further ahead than
// any can be was set by another clock, which may have been wrong.
func (cl *Claims) Begin(ctx context.Context) error {
	now := cl.clock.Now()
	var lost rows.Damage
	defer lost.Report(cl.log)
	for from := []byte(nil); ; {
		page, next, err := cl.readPage(ctx, from, &lost)
		if err != nil {
			return err
		}
		var due []dueClaim
		for row, r := range page {
			cl.usage.AddClaim(r.Charge())
			cl.see(row, r, cl.clock.Stopwatch())
			if !now.Before(r.deadline) || r.deadline.Sub(now) > r.lease.silence+maxSkew || r.limit.Sub(now) > r.lease.longest+maxSkew {
				due = append(due, dueClaim{row, r.deadline})
			}
		}
		for batch := range slices.Chunk(due, lapseBatch) {
			if _, err := cl.lapse(ctx, batch, now); err != nil {
				return err
			}
		}
		if from = next; from == nil {
			return nil
		}
	}
}

// readPage returns some claims, without their content, from a key on. next is the
// key after them, nil after the last.
func (cl *Claims) readPage(ctx context.Context, from []byte, lost *rows.Damage) (page map[seal.RowKey]*Record, next []byte, err error) {
	var damaged *rows.Damage
	err = cl.store.View(ctx, func(tx *rows.Tx) error {
		page, next, damaged = map[seal.RowKey]*Record{}, nil, &rows.Damage{}
		size := 0
		err := rows.IgnoreEnough(tx.Range(BucketClaim, from, nil, func(key, value []byte) error {
			if size >= pageBytes {
				next = bytes.Clone(key)
				return rows.ErrEnough
			}
			size += len(value)
			if r, err := decode(value); err == nil && len(key) == len(seal.RowKey{}) {
				page[seal.RowKey(key)] = r
			} else {
				damaged.Note(BucketClaim, rows.ErrDamaged)
			}
			return nil
		}))
		if err != nil {
			return err
		}
		for row, r := range page {
			err := r.loadDeadline(tx, row)
			if rows.IsDamage(err) {
				damaged.Note(BucketDeadline, rows.ErrDamaged) // the first one counts
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		lost.Add(damaged)
	}
	return page, next, err
}

// LapseUntil ends due claims until ctx ends.
func (cl *Claims) LapseUntil(ctx context.Context) {
	tick := time.NewTicker(lapseEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var err error
		if cl.store.Node() != nil && n%seekEvery == 0 {
			err = cl.Seek(ctx)
		}
		_, lapsing := cl.Lapse(ctx)
		if err = errors.Join(err, lapsing); err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			cl.log.Error("ending claims", "cause", err)
		}
	}
}

// Lapse ends the claims that are due, and tries again what could not be destroyed
// before. It returns how many claims it ended.
func (cl *Claims) Lapse(ctx context.Context) (ended int, err error) {
	now := cl.clock.Now()
	cl.mu.Lock()
	var due []dueClaim
	for row, k := range cl.known {
		if k.timeLeft(now) == 0 {
			due = append(due, dueClaim{row, k.deadline})
		}
	}
	left := slices.Collect(maps.Keys(cl.left))
	cl.mu.Unlock()
	for batch := range slices.Chunk(due, lapseBatch) {
		n, lapsing := cl.lapse(ctx, batch, now)
		ended, err = ended+n, errors.Join(err, lapsing)
	}
	for _, row := range left {
		err = errors.Join(err, cl.destroyLeft(ctx, row, func(leftover) bool { return true }))
	}
	return ended, err
}

// dueClaim is a claim that is due, with the deadline that this process knows.
type dueClaim struct {
	row      seal.RowKey
	deadline time.Time
}

// lapse ends claims that their callers did not acknowledge, in one transaction. One
// that cannot be read does not hold up the others. One that was extended meanwhile,
// which another node may have done, goes on.
func (cl *Claims) lapse(ctx context.Context, due []dueClaim, now time.Time) (int, error) {
	var ended, extended map[seal.RowKey]*Record
	var unread []seal.RowKey
	err := cl.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		ended, extended, unread = map[seal.RowKey]*Record{}, map[seal.RowKey]*Record{}, nil
		for _, known := range due {
			row := known.row
			r, err := load(tx, row)
			switch {
			case errors.Is(err, refusal.ErrNotFound):
			case rows.IsDamage(err):
				unread = append(unread, row)
			case err != nil:
				return err
			case r.deadline.After(known.deadline) && now.Before(r.deadline):
				extended[row] = r
			default:
				ended[row] = r
				if err := cl.endIn(tx, row, r, false, now); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("ending claims that lapsed: %w", err)
	}
	for _, known := range due {
		if r := extended[known.row]; r != nil {
			cl.see(known.row, r, cl.clock.Stopwatch())
		} else {
			cl.forget(known.row)
		}
	}
	var lost rows.Damage
	for _, row := range unread {
		cl.putOff(row, now.Add(sweep.DamagedPause))
		lost.Note(BucketClaim, rows.ErrDamaged)
	}
	lost.Report(cl.log)
	if len(ended) == 0 {
		return 0, nil
	}
	return len(ended), cl.finish(ctx, ended)
}

// Seek gets to know the claims of other nodes, which may have died.
func (cl *Claims) Seek(ctx context.Context) error {
	var found map[seal.RowKey]time.Time
	err := cl.store.View(ctx, func(tx *rows.Tx) error {
		found = map[seal.RowKey]time.Time{}
		return tx.Range(BucketDeadline, nil, nil, func(key, value []byte) error {
			if at, row, ok := decodeDeadline(key, value); ok {
				found[row] = at
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("looking for claims: %w", err)
	}
	for row, at := range found {
		cl.see(row, &Record{deadline: at, lease: textLease()}, cl.clock.Stopwatch())
	}
	return nil
}
