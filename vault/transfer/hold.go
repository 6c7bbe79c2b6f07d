package transfer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"hush/crash"
	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
	"hush/vault/shares"
	"hush/vault/tables"
)

// found is what the source has for a row.
type found struct {
	row
	err error // rows.ErrDamaged, or nil

	holds   bool // a share, which is the rest
	expired bool // the share is a new one, which opens nothing
	owner   shares.Owner
	share   [storage.ShareSize]byte
}

// find reads the rows of a page with their shares. It returns errors of the
// store; damage is in the rows.
func (t *transfer) find(ctx context.Context, b shares.Holding, p page) ([]found, error) {
	list := make([]found, len(p))
	for i, r := range p {
		list[i].row = r
		list[i].err = b.Check(r.key, r.value)
	}
	if b.Find == nil {
		return list, nil
	}
	err := each(t.Log, len(list), func(i int) (err error) {
		if list[i].err == nil {
			err = t.findShare(ctx, b, &list[i])
		}
		if rows.IsDamage(err) {
			list[i].err, err = err, nil
		}
		return err
	})
	return list, err
}

// findShare reads the share of a row. What has expired by the source's mark is
// never opened again, and its epoch key may be gone.
func (t *transfer) findShare(ctx context.Context, b shares.Holding, f *found) error {
	slot, owner, ok, err := b.Find(f.key, f.value)
	if err != nil || !ok {
		return err
	}
	f.holds, f.owner = true, owner
	if !t.mark.Before(owner.Expires) {
		f.expired, f.share = true, seal.NewShare()
		return nil
	}
	f.share, err = t.from.shares.Get(ctx, slot, owner)
	switch {
	case errors.Is(err, storage.ErrShareGone), errors.Is(err, shares.ErrEnded):
		return fmt.Errorf("%w: %w", rows.ErrDamaged, err)
	case err != nil:
		return err
	}
	if b.Open == nil {
		return nil
	}
	if err := b.Open(t.Keys, f.key, f.value, f.share); err != nil {
		return fmt.Errorf("%w: %w", rows.ErrDamaged, err)
	}
	return nil
}

// keep stores the shares of a page in the target, and moves its rows to them. It
// returns the slots that it used, also after an error.
func (t *transfer) keep(ctx context.Context, b shares.Holding, list []found) (slots []storage.Slot, err error) {
	var mu sync.Mutex
	err = each(t.Log, len(list), func(i int) error {
		if !list[i].holds {
			return nil
		}
		slot, err := t.to.shares.Keep(ctx, list[i].share, list[i].owner)
		if err != nil {
			return err
		}
		mu.Lock()
		slots = append(slots, slot)
		mu.Unlock()
		list[i].value, err = b.Move(list[i].value, slot)
		return err
	})
	return slots, err
}

// each calls fn for each index at the same time, so that the calls share round
// trips and syncs.
func each(log *slog.Logger, n int, fn func(i int) error) error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		crash.Go(&all, log, func() { errs[i] = fn(i) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// destroyOrphans overwrites every share of a target that no row owns. The target
// was made by this copy, so that all its slots are of the first
// generation, and a new share goes behind them.
func (e *end) destroyOrphans(ctx context.Context) error {
	last, err := e.slots.Put(ctx, seal.NewShare())
	if err != nil {
		return err
	}
	owned := make([]uint64, last.Number/64+1)
	err = e.eachSlot(ctx, func(slots []storage.Slot) error {
		for _, slot := range slots {
			if slot.Number < last.Number {
				owned[slot.Number/64] |= 1 << (slot.Number % 64)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var orphans []storage.Slot
	for n := range last.Number + 1 {
		slot := storage.Slot{Number: n, Generation: last.Generation}
		if owned[n/64]&(1<<(n%64)) == 0 {
			switch _, err := e.slots.Get(ctx, slot); {
			case err == nil:
				orphans = append(orphans, slot)
			case !errors.Is(err, storage.ErrShareGone):
				return err
			}
		}
		if len(orphans) < pageRows && n < last.Number {
			continue
		}
		if err := e.slots.Destroy(ctx, orphans...); err != nil {
			return fmt.Errorf("destroying shares of an interrupted batch: %w", err)
		}
		orphans = orphans[:0]
	}
	return nil
}

// eachSlot calls fn with the slots of all rows of a store that can be read, a
// page at a time.
func (e *end) eachSlot(ctx context.Context, fn func([]storage.Slot) error) error {
	for _, b := range tables.Holdings() {
		err := eachPage(ctx, e.store, b.Name, nil, func(p page) error {
			var slots []storage.Slot
			for _, r := range p {
				if slot, _, ok, err := b.Find(r.key, r.value); err == nil && ok {
					slots = append(slots, slot)
				}
			}
			return fn(slots)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
