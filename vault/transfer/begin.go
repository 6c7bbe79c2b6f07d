package transfer

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/quota"
	"hush/vault/rows"
	"hush/vault/spent"
	"hush/vault/tables"
)

// load reads what both stores know of a copy, and refuses pairs that must not be
// copied. It changes nothing.
func (t *transfer) load(ctx context.Context) error {
	if err := t.loadSource(ctx); err != nil {
		return err
	}
	if err := t.loadTarget(ctx); err != nil {
		return err
	}
	same := t.from.record.ID == t.to.record.ID
	switch t.from.record.State {
	case cluster.CopyLeft, cluster.CopyEmptied:
		if !same || t.to.record.State < cluster.CopyChecked {
			return fmt.Errorf("%w, to %s", ErrMoved, t.from.record.Other)
		}
	case cluster.CopyLeaving:
		if t.to.record.State != 0 && !same {
			return fmt.Errorf("%w: %s has an unfinished copy of another run, from %s", ErrNotEmpty, t.to.name, t.to.record.Other)
		}
	default:
		if t.to.record.State != 0 {
			return fmt.Errorf("%w: %s has a copy of %s", ErrNotEmpty, t.to.name, t.to.record.Other)
		}
	}
	t.report.Resumed = t.to.record.State != 0
	return nil
}

// loadSource reads the source. Only one that was moved may lack a verifier.
func (t *transfer) loadSource(ctx context.Context) error {
	err := t.from.store.View(ctx, func(tx *rows.Tx) (err error) {
		if err := cluster.CheckFormat(tx); err != nil {
			return err
		}
		if t.from.record, err = cluster.GetCopy(tx); err != nil {
			return err
		}
		switch t.from.record.State {
		case cluster.CopyLeft, cluster.CopyEmptied:
			return arrange(t.Keys, t.from.record.Verifier)
		case cluster.CopyFilling, cluster.CopyChecked:
			return cluster.CheckCopy(tx)
		default: // it can be served, or a copy of it has begun
		}
		_, logged, err := spent.Get(tx)
		if err != nil {
			return err
		}
		if logged {
			return ErrLogged
		}
		verifier, err := rows.GetSystem(tx, keylist.SystemVerifier)
		if errors.Is(err, storage.ErrNotFound) {
			return errors.New("it holds no data")
		}
		if err == nil {
			err = arrange(t.Keys, verifier)
		}
		if err == nil {
			t.mark, err = cluster.GetMark(tx)
		}
		return err
	})
	if err == nil {
		err = t.from.checkStopped(ctx, t.Now())
	}
	if err != nil {
		return fmt.Errorf("source %s: %w", t.from.name, err)
	}
	return nil
}

// loadTarget reads the target. A record without an id is that of Prepare.
func (t *transfer) loadTarget(ctx context.Context) error {
	if t.CheckOnly && t.To.Store == nil {
		return nil
	}
	err := t.to.store.View(ctx, func(tx *rows.Tx) (err error) {
		if err := cluster.CheckFormat(tx); err != nil {
			return err
		}
		if t.to.record, err = cluster.GetCopy(tx); err != nil {
			return err
		}
		if t.to.record.ID == (cluster.Instance{}) {
			t.to.record = cluster.CopyRecord{}
		}
		switch t.to.record.State {
		case cluster.CopyFilling, cluster.CopyChecked:
			return arrange(t.Keys, t.to.record.Verifier)
		case cluster.CopyArrived:
			return nil
		case cluster.CopyLeaving, cluster.CopyLeft, cluster.CopyEmptied:
			return fmt.Errorf("%w: %w", ErrNotEmpty, cluster.CheckCopy(tx))
		}
		return checkEmpty(tx, t.Keys)
	})
	if err == nil && t.to.record.State != cluster.CopyArrived {
		err = t.to.checkStopped(ctx, t.Now())
	}
	if err != nil {
		return fmt.Errorf("target %s: %w", t.to.name, err)
	}
	return nil
}

// checkEmpty returns ErrNotEmpty if the target holds any data. A service that
// was started once and never used holds none.
func checkEmpty(tx *rows.Tx, keys *seal.Keys) error {
	for _, b := range tables.Copied() {
		first, err := rows.FirstKeys(tx, b.Name, nil, 1)
		if err != nil {
			return err
		}
		if len(first) > 0 {
			return fmt.Errorf("%w: its bucket %q has rows", ErrNotEmpty, b.Name)
		}
	}
	listed, err := keylist.GetRootKeys(tx)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = listed.Verify(keys)
	}
	return err
}

// arrange verifies keys with a stored list of root keys, and makes them open what
// the store has.
func arrange(keys *seal.Keys, stored []byte) error {
	listed, err := keylist.DecodeRootKeys(stored)
	if err != nil {
		return err
	}
	return listed.Arrange(keys)
}

// checkStopped returns ErrServed if nodes serve a store.
func (e *end) checkStopped(ctx context.Context, now time.Time) error {
	now, err := e.now(ctx, now)
	if err != nil {
		return err
	}
	return e.store.View(ctx, func(tx *rows.Tx) error { return checkStoppedIn(tx, now) })
}

// now returns the time of a store's nodes, which is now if they have no other.
func (e *end) now(ctx context.Context, now time.Time) (time.Time, error) {
	if clock := e.backend.Clock(); clock != nil {
		return clock.Now(ctx)
	}
	return now, nil
}

func checkStoppedIn(tx *rows.Tx, now time.Time) error {
	live, err := cluster.LiveNodes(tx, now)
	if err != nil || len(live) == 0 {
		return err
	}
	return fmt.Errorf("%w: by node %q (number %d), last seen %s ago; stop it, and wait half a minute if it was killed", ErrServed,
		live[0].Name, live[0].Number, now.Sub(live[0].Heartbeat).Round(time.Second))
}

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
