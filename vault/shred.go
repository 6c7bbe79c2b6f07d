package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"hush/storage"
)

// strikeBatch is how many rows one transaction strikes off at most.
const strikeBatch = 1024

// striker strikes destroyed shares off the list in the store and then gives
// their slots back. It works behind the answers: until a row is struck off, a
// start only destroys again what is destroyed already.
type striker struct {
	vault *Vault
	wake  chan struct{}

	mu    sync.Mutex
	slots []storage.Slot
}

func newStriker(v *Vault) *striker { return &striker{vault: v, wake: make(chan struct{}, 1)} }

// add takes slots whose shares are durably destroyed.
func (s *striker) add(slots ...storage.Slot) {
	s.mu.Lock()
	s.slots = append(s.slots, slots...)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *striker) take() []storage.Slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(s.slots), strikeBatch)
	taken := s.slots[:n:n]
	s.slots = s.slots[n:]
	return taken
}

// run strikes off until ctx ends, and then what is left.
func (s *striker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.strikeAll()
			return
		case <-s.wake:
			s.strikeAll()
		}
	}
}

func (s *striker) strikeAll() {
	for {
		slots := s.take()
		if len(slots) == 0 {
			return
		}
		if err := s.vault.strike(context.Background(), slots); err != nil {
			s.vault.log.Error("striking destroyed shares off the list; the sweeper tries again", "cause", err)
			return
		}
	}
}

// strike deletes the rows of destroyed shares, then releases their slots. Each
// row is struck off once and frees its slot once, however many try: a row that
// is gone, or that names a later share of the slot, is somebody else's.
func (v *Vault) strike(ctx context.Context, slots []storage.Slot) error {
	var struck []storage.Slot
	err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		struck = make([]storage.Slot, 0, len(slots))
		for _, slot := range slots {
			key := bigEndian(slot.Number)
			row, err := tx.Get(bucketShred, key)
			if errors.Is(err, storage.ErrNotFound) || err == nil && !bytes.Equal(row, bigEndian(slot.Generation)) {
				continue
			}
			if err != nil {
				return err
			}
			if err := tx.Delete(bucketShred, key); err != nil {
				return err
			}
			struck = append(struck, slot)
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.recycle(struck...)
	return nil
}

// shredListed destroys every share that a former run listed and strikes it
// off, in batches. It runs before anybody is served, and its work is what was
// in flight at a crash. Rows that cannot be read name no share; they stay.
func (v *Vault) shredListed(ctx context.Context) error {
	var lost unread
	defer lost.report(v.log)
	for from := []byte(nil); ; {
		slots, next, err := v.listed(ctx, from, &lost)
		if err != nil || next == nil && len(slots) == 0 {
			return err
		}
		if err := v.shares.Destroy(ctx, slots...); err != nil {
			return err
		}
		if err := v.strike(ctx, slots); err != nil {
			return err
		}
		if len(slots) > 0 {
			v.log.Info("destroyed shares that the last run had left", "count", len(slots))
		}
		if from = next; from == nil {
			return nil
		}
	}
}

// overdueMost bounds what is remembered of the list from one sweep to the next.
const overdueMost = 1 << 16

// shredOverdue destroys the shares that the sweep before found on the list
// already: their overwrite or the strike-off failed. What was listed since is
// still being worked on. A share whose overwrite fails again keeps no other
// from its own.
func (v *Vault) shredOverdue(ctx context.Context) error {
	v.sweeping.Lock()
	defer v.sweeping.Unlock()
	var lost unread
	defer lost.report(v.log)
	seen := map[storage.Slot]struct{}{}
	var failed error
	for from := []byte(nil); ; {
		slots, next, err := v.listed(ctx, from, &lost)
		if err != nil {
			return errors.Join(failed, err)
		}
		var overdue []storage.Slot
		for _, slot := range slots {
			if _, again := v.overdue[slot]; again {
				overdue = append(overdue, slot)
			}
			if len(seen) < overdueMost {
				seen[slot] = struct{}{}
			}
		}
		if err := v.shredAgain(ctx, overdue); failed == nil {
			failed = err
		}
		if from = next; from == nil || ctx.Err() != nil {
			v.overdue = seen
			return failed
		}
	}
}

func (v *Vault) shredAgain(ctx context.Context, slots []storage.Slot) error {
	if len(slots) == 0 {
		return nil
	}
	if err := v.shares.Destroy(ctx, slots...); err != nil {
		return fmt.Errorf("destroying shares again: %w", unavailable(err))
	}
	if err := v.strike(ctx, slots); err != nil {
		return fmt.Errorf("striking destroyed shares off the list: %w", err)
	}
	v.log.Info("destroyed shares whose first overwrite had failed", "count", len(slots))
	return nil
}

// listed returns slots on the list from a row on, of at most strikeBatch rows,
// and the row after them, nil after the last.
func (v *Vault) listed(ctx context.Context, from []byte, lost *unread) (slots []storage.Slot, next []byte, err error) {
	var damaged *unread
	err = v.store.View(ctx, func(tx storage.Tx) error {
		slots, next, damaged = nil, nil, &unread{}
		looked := 0
		return ignoreEnough(tx.Range(bucketShred, from, nil, func(key, value []byte) error {
			if looked++; looked > strikeBatch {
				next = append([]byte(nil), key...)
				return errEnough
			}
			if len(key) != 8 || len(value) != 8 {
				damaged.note(bucketShred, errDamaged)
				return nil
			}
			slots = append(slots, storage.Slot{
				Number: binary.BigEndian.Uint64(key), Generation: binary.BigEndian.Uint64(value),
			})
			return nil
		}))
	})
	if err == nil {
		lost.add(damaged)
	}
	return slots, next, err
}
