package restoration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"hush/crash"
	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/spent"
)

const (
	// liveSlots is how many live secrets are remembered at a time. The log is read
	// once for each such number of them.
	liveSlots = 1 << 20
	// endAtOnce is how many secrets end at the same time.
	endAtOnce = 256
)

// opened is a restored store with a vault on it, in which secrets end.
type opened struct {
	vault.Options

	vault *vault.Vault
	store cluster.Store
	ended atomic.Int64 // secrets
	lost  rows.Damage
}

func open(ctx context.Context, opts vault.Options) (*opened, error) {
	v, err := vault.OpenRestored(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &opened{Options: opts, vault: v, store: cluster.NewStore(opts.Store, nil)}, nil
}

func (o *opened) close() {
	o.lost.Report(o.Log)
	o.vault.Close()
}

// burn burns those secrets of a restored store whose slots burns accepts, and returns
// how many.
func burn(ctx context.Context, opts vault.Options, burns func(storage.Slot) bool) (burned int64, err error) {
	o, err := open(ctx, opts)
	if err != nil {
		return 0, err
	}
	defer o.close()
	err = o.eachLive(ctx, func(live map[storage.Slot]seal.RowKey) error { return o.burn(ctx, live, burns) })
	if err != nil {
		err = fmt.Errorf("burning secrets: %w", err)
	}
	return o.ended.Load(), err
}

// burn burns the chosen ones of some secrets.
func (o *opened) burn(ctx context.Context, live map[storage.Slot]seal.RowKey, burns func(storage.Slot) bool) (err error) {
	ending, failed := endMany(ctx)
	now := o.vault.Now()
	for slot, row := range live {
		if !burns(slot) {
			continue
		}
		if err = cmp.Or(ctx.Err(), context.Cause(failed)); err != nil {
			break
		}
		ending.Go(func() error { return o.endGuarded(ctx, row, slot, spent.KindSecretBurned, now) })
	}
	return cmp.Or(ending.Wait(), err)
}

// eachLive calls fn with the rows of live secrets by the slots of their shares, at most
// liveSlots at a time.
func (o *opened) eachLive(ctx context.Context, fn func(live map[storage.Slot]seal.RowKey) error) error {
	for from := []byte(nil); ; {
		live, next, err := o.live(ctx, from)
		if err == nil && len(live) > 0 {
			err = fn(live)
		}
		if err != nil || next == nil {
			return err
		}
		from = next
	}
}

// live returns the live secrets from a row on. next is the row after them, nil after the
// last.
func (o *opened) live(ctx context.Context, from []byte) (live map[storage.Slot]seal.RowKey, next []byte, err error) {
	secrets := secret.Holding()
	var damaged *rows.Damage
	err = o.store.View(ctx, func(tx *rows.Tx) error {
		live, next, damaged = map[storage.Slot]seal.RowKey{}, nil, &rows.Damage{}
		return rows.IgnoreEnough(tx.Range(secrets.Name, from, nil, func(key, value []byte) error {
			if len(live) == liveSlots {
				next = append([]byte(nil), key...)
				return rows.ErrEnough
			}
			slot, _, _, err := secrets.Find(key, value)
			if err != nil {
				damaged.Note(secrets.Name, err)
				return nil
			}
			live[slot] = seal.RowKey(key)
			return nil
		}))
	})
	if err == nil {
		o.lost.Add(damaged)
	}
	return live, next, err
}

// endMany returns a group in which secrets end, many at a time, which share commits and
// syncs. failed ends with the first one that fails. Those that have begun go on.
func endMany(ctx context.Context) (ending *errgroup.Group, failed context.Context) {
	ending, failed = errgroup.WithContext(context.WithoutCancel(ctx))
	ending.SetLimit(endAtOnce)
	return ending, failed
}

// endGuarded is end in a goroutine of its own.
func (o *opened) endGuarded(ctx context.Context, row seal.RowKey, slot storage.Slot, how spent.Kind, at time.Time) (err error) {
	crash.Guard(o.Log, func() { err = o.end(ctx, row, slot, how, at) })
	return err
}

// end ends a secret. If its records are damaged, at least its share goes.
func (o *opened) end(ctx context.Context, row seal.RowKey, slot storage.Slot, how spent.Kind, at time.Time) error {
	ended, err := o.vault.Burns.EndLogged(ctx, row, slot, how, at)
	if rows.IsDamage(err) || errors.Is(err, refusal.ErrNotFound) { // its receipt is not live
		o.lost.Note(secret.Holding().Name, err)
		if err = o.Shares.Destroy(context.WithoutCancel(ctx), slot); err != nil {
			err = fmt.Errorf("destroying the share: %w", refusal.Unavailable(err))
		}
	}
	if ended {
		o.ended.Add(1)
	}
	return err
}
