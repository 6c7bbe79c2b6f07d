package vault

import (
	"cmp"
	"context"
	"fmt"

	"hush/storage"
	"hush/vault/spent"
)

// BurnRestored burns those secrets of a restored store whose slots burns accepts,
// and returns how many. Nothing may serve the store. Options are as for Replay.
func BurnRestored(ctx context.Context, opts Options, burns func(storage.Slot) bool) (burned int64, err error) {
	opts.Manual, opts.Send, opts.SpentLog, opts.replays = true, nil, nil, true
	v, err := Open(ctx, opts)
	if err != nil {
		return 0, err
	}
	defer v.Close()
	r := &replay{vault: v}
	defer r.lost.Report(v.log)
	for from := []byte(nil); ; {
		next, err := r.burn(ctx, from, burns)
		if err != nil {
			return r.ended.Load(), fmt.Errorf("burning secrets: %w", err)
		}
		if from = next; from == nil {
			return r.ended.Load(), nil
		}
	}
}

// burn burns the chosen ones of some secrets from a row on, and returns the row
// after them, nil after the last.
func (r *replay) burn(ctx context.Context, from []byte, burns func(storage.Slot) bool) (next []byte, err error) {
	live, next, err := r.liveSlots(ctx, from)
	if err != nil {
		return nil, err
	}
	ending, failed := endMany(ctx)
	now := r.vault.clock.Now()
	for slot, row := range live {
		if !burns(slot) {
			continue
		}
		if err = cmp.Or(ctx.Err(), context.Cause(failed)); err != nil {
			break
		}
		ending.Go(func() error { return r.endGuarded(ctx, row, slot, spent.KindSecretBurned, now) })
	}
	return next, cmp.Or(ending.Wait(), err)
}
