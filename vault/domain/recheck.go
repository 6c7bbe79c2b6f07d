package domain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

const (
	recheckEvery = 20 * time.Second
	recheckBatch = 16
)

// RecheckUntil checks due domains until ctx ends.
func (ck *Checks) RecheckUntil(ctx context.Context) {
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	for {
		n, err := ck.Recheck(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, cluster.ErrLeaseLost) {
			ck.log.Error("checking domains", "cause", err)
		}
		if n == recheckBatch && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Recheck queries DNS about at most 16 due domains, one after the other. It
// returns how many rows of the index it handled. Without a resolver it does
// nothing, and neither does it while another node checks.
func (ck *Checks) Recheck(ctx context.Context) (int, error) {
	if ck.resolver == nil {
		return 0, nil
	}
	ctx, held, err := ck.store.Hold(ctx, cluster.WorkRecheck)
	if err != nil || !held {
		return 0, err
	}
	now := ck.clock.Now()
	due, err := ck.dueChecks(ctx, now)
	if err != nil {
		return 0, err
	}
	var lost rows.Damage
	defer lost.Report(ck.log)
	for i, row := range due {
		if err := ck.recheck(ctx, row, now, &lost); err != nil {
			return i, fmt.Errorf("checking a domain: %w", err)
		}
	}
	return len(due), nil
}

func (ck *Checks) dueChecks(ctx context.Context, now time.Time) (due [][]byte, err error) {
	err = ck.store.View(ctx, func(tx *rows.Tx) (err error) {
		due, err = rows.FirstKeys(tx, BucketRecheck, rows.BigEndian(rows.Millis(now)+1), recheckBatch)
		return err
	})
	return due, err
}

// recheck handles one row of the index. It deletes a row without a domain. If a
// domain or account cannot be read, it postpones the row, so that it does not
// hold up the others. It returns only errors that prevent all checks.
func (ck *Checks) recheck(ctx context.Context, row []byte, now time.Time, lost *rows.Damage) error {
	d, err := ck.domainOfRow(ctx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return ck.putOff(ctx, row, time.Time{})
	}
	if err == nil {
		_, err = ck.checkOwned(ctx, d, row)
	}
	switch {
	case err == nil, errors.Is(err, refusal.ErrDuplicate): // stored
		return nil
	case errors.Is(err, refusal.ErrDomainNotFound):
		return ck.putOff(ctx, row, time.Time{}) // removed meanwhile
	case errors.Is(err, refusal.ErrUnavailable), ctx.Err() != nil:
		return err
	}
	lost.Note(BucketDomain, err)
	return ck.putOff(ctx, row, now.Add(sweep.DamagedPause))
}

// domainOfRow loads the domain of a row of the index, or returns ErrNotFound.
func (ck *Checks) domainOfRow(ctx context.Context, row []byte) (d *ownedDomain, err error) {
	if len(row) <= 8 {
		return nil, refusal.ErrNotFound
	}
	owner, name, ok := splitDomainKey(row[8:])
	if !ok {
		return nil, refusal.ErrNotFound
	}
	err = ck.store.View(ctx, func(tx *rows.Tx) error {
		d, err = getDomain(tx, owner, name)
		return err
	})
	return d, err
}

// putOff moves a row of the index; the zero time deletes it.
func (ck *Checks) putOff(ctx context.Context, row []byte, next time.Time) error {
	return ck.store.Update(ctx, func(tx *rows.Tx) error {
		if err := tx.Delete(BucketRecheck, row); err != nil || next.IsZero() {
			return err
		}
		return tx.Put(BucketRecheck, rows.TimeKey(next, row[8:]), nil)
	})
}
