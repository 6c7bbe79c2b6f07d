package transfer

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/quota"
	"hush/vault/rows"
)

// begin marks both stores, so that neither is served. First the source: a target
// that is marked alone could not be told from one that was given up.
func (t *transfer) begin(ctx context.Context) error {
	if t.report.Resumed {
		return t.resume(ctx)
	}
	// Reading the source took a while.
	if err := t.to.store.View(ctx, t.to.checkFree(ctx, t.Options)); err != nil {
		return fmt.Errorf("target %s: %w", t.to.name, err)
	}
	if err := t.from.shares.ShredListed(ctx); err != nil {
		return fmt.Errorf("destroying shares left by the last run: %w", err)
	}
	if err := t.from.markLeaving(ctx, t.Options); err != nil {
		return fmt.Errorf("marking the source: %w", err)
	}
	if err := t.to.markFilling(ctx, t.Options, t.from.record); err != nil {
		return fmt.Errorf("marking the target: %w", err)
	}
	// A node may have joined before it could see the mark.
	for _, e := range []*end{&t.from, &t.to} {
		if err := e.checkStopped(ctx, t.Now()); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// markLeaving marks a source, which no node may join then.
func (e *end) markLeaving(ctx context.Context, opts Options) error {
	now, err := e.now(ctx, opts.Now())
	if err != nil {
		return err
	}
	record := cluster.CopyRecord{State: cluster.CopyLeaving, Began: opts.Now(), Other: opts.To.Name}
	_, _ = rand.Read(record.ID[:]) // never fails: it ends the process instead
	err = e.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if err := checkStoppedIn(tx, now); err != nil {
			return err
		}
		if err := cluster.ForgetNodes(tx, now); err != nil {
			return err
		}
		if record.Source, err = systemHash(tx); err != nil {
			return err
		}
		if record.Verifier, err = rows.GetSystem(tx, keylist.SystemVerifier); err != nil {
			return err
		}
		return cluster.PutCopy(tx, record)
	})
	e.record = record
	return err
}

// markFilling marks a target, with what its source was marked with.
func (e *end) markFilling(ctx context.Context, opts Options, record cluster.CopyRecord) error {
	free := e.checkFree(ctx, opts)
	record.State, record.Other = cluster.CopyFilling, opts.From.Name
	err := e.store.Update(ctx, func(tx *rows.Tx) error {
		if err := free(tx); err != nil {
			return err
		}
		if err := rows.DeletePrefix(tx, rows.BucketSystem, nil); err != nil {
			return err
		}
		if err := quota.Forget(tx); err != nil {
			return err
		}
		return cluster.PutCopy(tx, record)
	})
	e.record = record
	return err
}

// checkFree returns the check that a target is still empty, and that no node
// serves it and no other copy goes there.
func (e *end) checkFree(ctx context.Context, opts Options) func(*rows.Tx) error {
	now, err := e.now(ctx, opts.Now())
	return func(tx *rows.Tx) error {
		if err != nil {
			return err
		}
		record, err := cluster.GetCopy(tx)
		if err != nil {
			return err
		}
		if record.ID != (cluster.Instance{}) {
			return fmt.Errorf("%w: another copy to it has begun", ErrNotEmpty)
		}
		if err := checkStoppedIn(tx, now); err != nil {
			return err
		}
		return checkEmpty(tx, opts.Keys)
	}
}

// resume checks that the source is what it was, and destroys the shares that an
// interrupted batch left in the target: no record owns them, so nothing else
// would.
func (t *transfer) resume(ctx context.Context) error {
	if err := t.from.store.View(ctx, t.from.checkUnchanged); err != nil {
		return err
	}
	if !t.to.slots.Overwrites() {
		return nil // what is left is masked, and the mask ends with its hour
	}
	return t.to.destroyOrphans(ctx)
}

// checkUnchanged returns ErrChanged if the source was served since the copy
// began.
func (e *end) checkUnchanged(tx *rows.Tx) error {
	record, err := cluster.GetCopy(tx)
	if err != nil {
		return err
	}
	hash, err := systemHash(tx)
	if err == nil && (record.State != cluster.CopyLeaving || record.ID != e.record.ID || !bytes.Equal(hash, record.Source)) {
		return fmt.Errorf("source %s: %w", e.name, ErrChanged)
	}
	return err
}

// Abandon gives up an unfinished copy from a source, which can be served again.
// Its target stays unfinished for good: it must be deleted.
func Abandon(ctx context.Context, opts Options) error {
	t := &transfer{Options: opts}
	t.from = newEnd(opts.From, opts.Keys, opts.Log)
	if err := t.loadSource(ctx); err != nil {
		return err
	}
	switch t.from.record.State {
	case cluster.CopyLeaving:
	case cluster.CopyLeft, cluster.CopyEmptied:
		return fmt.Errorf("source %s: %w, to %s: only a copy from there brings it back", t.from.name, ErrMoved, t.from.record.Other)
	default:
		return fmt.Errorf("source %s: no copy of it was begun", t.from.name)
	}
	return t.from.store.Update(ctx, func(tx *rows.Tx) error {
		return tx.Delete(rows.BucketSystem, []byte(cluster.SystemCopy))
	})
}
