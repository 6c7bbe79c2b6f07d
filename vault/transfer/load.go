package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/file"
	"hush/vault/keylist"
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
		if files, err := file.Live(tx); err != nil || files > 0 {
			return cmp.Or(err, fmt.Errorf("%w; there are %d", ErrFiles, files))
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
