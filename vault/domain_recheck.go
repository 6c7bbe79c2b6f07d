package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/storage"
)

const (
	recheckEvery = 20 * time.Second
	recheckBatch = 16
)

// recheckUntil checks domains that are due until ctx ends.
func (v *Vault) recheckUntil(ctx context.Context) {
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	for {
		n, err := v.Recheck(ctx)
		if err != nil && ctx.Err() == nil {
			v.log.Error("checking domains", "cause", err)
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

// Recheck asks DNS about the domains whose next check is due, at most 16, one
// after the other. It returns how many rows of the index it handled. Without a
// resolver it does nothing.
func (v *Vault) Recheck(ctx context.Context) (int, error) {
	if v.resolver == nil {
		return 0, nil
	}
	now := v.clock.now()
	due, err := v.dueChecks(ctx, now)
	if err != nil {
		return 0, err
	}
	var lost unread
	defer lost.report(v.log)
	for i, row := range due {
		if err := v.recheck(ctx, row, now, &lost); err != nil {
			return i, fmt.Errorf("checking a domain: %w", err)
		}
	}
	return len(due), nil
}

func (v *Vault) dueChecks(ctx context.Context, now time.Time) (due [][]byte, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		due = nil
		return ignoreEnough(tx.Range(bucketRecheck, nil, bigEndian(millis(now)+1), func(key, _ []byte) error {
			due = append(due, append([]byte(nil), key...))
			if len(due) == recheckBatch {
				return errEnough
			}
			return nil
		}))
	})
	return due, err
}

// recheck handles one row of the index. One that no domain stands behind goes;
// one whose domain or account cannot be read is put off, so that it keeps no
// other from its check. It returns only what keeps all from theirs.
func (v *Vault) recheck(ctx context.Context, row []byte, now time.Time, lost *unread) error {
	d, err := v.domainOfRow(ctx, row)
	if errors.Is(err, ErrNotFound) {
		return v.putOff(ctx, row, time.Time{})
	}
	if err == nil {
		_, err = v.checkOwned(ctx, d, row)
	}
	switch {
	case err == nil, errors.Is(err, ErrDuplicate): // written down
		return nil
	case errors.Is(err, ErrDomainNotFound):
		return v.putOff(ctx, row, time.Time{}) // given up meanwhile
	case errors.Is(err, ErrUnavailable), ctx.Err() != nil:
		return err
	}
	lost.note(bucketDomain, err)
	return v.putOff(ctx, row, now.Add(damagedPause))
}

// domainOfRow loads the domain that a row of the index stands for, or returns
// ErrNotFound.
func (v *Vault) domainOfRow(ctx context.Context, row []byte) (d *ownedDomain, err error) {
	if len(row) <= 8 {
		return nil, ErrNotFound
	}
	owner, name, ok := splitDomainKey(row[8:])
	if !ok {
		return nil, ErrNotFound
	}
	err = v.store.View(ctx, func(tx storage.Tx) error {
		d, err = getDomain(tx, owner, name)
		return err
	})
	return d, err
}

// putOff moves a row of the index; the zero time takes it out.
func (v *Vault) putOff(ctx context.Context, row []byte, next time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error {
		if err := tx.Delete(bucketRecheck, row); err != nil || next.IsZero() {
			return err
		}
		return tx.Put(bucketRecheck, append(bigEndian(millis(next)), row[8:]...), nil)
	})
}
