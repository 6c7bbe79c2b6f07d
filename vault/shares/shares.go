package shares

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Shares hands out durable shares, and destroys those whose secrets or mails
// have ended. A share is listed for destruction in the transaction that ends
// what it opens, destroyed after that, and struck off the list in the
// background.
type Shares struct {
	store   rows.Store
	backend storage.Shares
	log     *slog.Logger
	pool    *sharePool
	queue   *shredQueue

	sweeping sync.Mutex
	overdue  map[storage.Slot]struct{} // listed at the last sweep; guarded by sweeping
}

// New returns the shares of a backend.
func New(s rows.Store, backend storage.Shares, log *slog.Logger) *Shares {
	made := &Shares{store: s, backend: backend, log: log, pool: newSharePool(backend, log)}
	made.queue = newShredQueue(made.Strike, log)
	return made
}

// Take returns a durable unused share.
func (s *Shares) Take(ctx context.Context) (Ready, error) { return s.pool.take(ctx) }

// Fill keeps shares ready until ctx ends.
func (s *Shares) Fill(ctx context.Context) { s.pool.fill(ctx) }

// StrikeUntil strikes destroyed shares off the list until ctx ends, and then
// the remaining ones.
func (s *Shares) StrikeUntil(ctx context.Context) { s.queue.run(ctx) }

// Get reads a share.
func (s *Shares) Get(ctx context.Context, slot storage.Slot) ([storage.ShareSize]byte, error) {
	return s.backend.Get(ctx, slot)
}

// List lists a share for destruction, in the transaction that ends what it
// opens.
func (s *Shares) List(tx storage.Tx, slot storage.Slot) error {
	if r, ok := s.backend.(storage.Recycler); ok {
		r.Touch(slot)
	}
	return tx.Put(BucketShred, rows.BigEndian(slot.Number), rows.BigEndian(slot.Generation))
}

// Recycler returns the backend if it reuses slots.
func (s *Shares) Recycler() (storage.Recycler, bool) {
	r, ok := s.backend.(storage.Recycler)
	return r, ok
}

// Destroy overwrites shares whose secrets have durably ended, and queues them
// to be struck off the list.
func (s *Shares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := s.backend.Destroy(context.WithoutCancel(ctx), slots...); err != nil {
		return fmt.Errorf("destroying the share: %w", refusal.Unavailable(err))
	}
	s.queue.add(slots...)
	return nil
}

// Discard frees the slot of a secret that was certainly not stored. If the
// outcome is unknown, the next start decides.
func (s *Shares) Discard(cause error, slot storage.Slot) {
	if errors.Is(cause, storage.ErrUnknownOutcome) || errors.Is(cause, storage.ErrClosed) {
		return
	}
	if err := s.backend.Destroy(context.Background(), slot); err != nil {
		s.log.Error("destroying the share of a secret that was not stored", "cause", err)
		return
	}
	s.recycle(slot)
}

// recycle returns slots to a backend that reuses them.
func (s *Shares) recycle(slots ...storage.Slot) {
	if r, ok := s.backend.(storage.Recycler); ok {
		r.Release(slots...)
	}
}

// Strike deletes the rows of destroyed shares, then frees their slots. However
// many callers try, each row is struck off once and frees its slot once: a
// missing row, or one that names a later share of the slot, is skipped.
func (s *Shares) Strike(ctx context.Context, slots []storage.Slot) error {
	var struck []storage.Slot
	err := s.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		struck = make([]storage.Slot, 0, len(slots))
		for _, slot := range slots {
			key := rows.BigEndian(slot.Number)
			row, err := tx.Get(BucketShred, key)
			if errors.Is(err, storage.ErrNotFound) || err == nil && !bytes.Equal(row, rows.BigEndian(slot.Generation)) {
				continue
			}
			if err != nil {
				return err
			}
			if err := tx.Delete(BucketShred, key); err != nil {
				return err
			}
			struck = append(struck, slot)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.recycle(struck...)
	return nil
}

// ShredListed destroys every share that an earlier run listed and strikes it
// off, in batches. It runs before the service starts to serve, and handles what
// was in flight at a crash. Rows that cannot be read name no share; they stay.
func (s *Shares) ShredListed(ctx context.Context) error {
	var lost rows.Damage
	defer lost.Report(s.log)
	for from := []byte(nil); ; {
		slots, next, err := s.listSlots(ctx, from, &lost)
		if err != nil || next == nil && len(slots) == 0 {
			return err
		}
		if err := s.backend.Destroy(ctx, slots...); err != nil {
			return err
		}
		if err := s.Strike(ctx, slots); err != nil {
			return err
		}
		if len(slots) > 0 {
			s.log.Info("destroyed shares left by the last run", "count", len(slots))
		}
		if from = next; from == nil {
			return nil
		}
	}
}

// ShredOverdue destroys the shares that were already listed at the sweep
// before: their overwrite or their strike-off failed. Newer ones are still in
// progress. A share whose overwrite fails again does not hold up the others.
func (s *Shares) ShredOverdue(ctx context.Context) error {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	var lost rows.Damage
	defer lost.Report(s.log)
	seen := map[storage.Slot]struct{}{}
	var failed error
	for from := []byte(nil); ; {
		slots, next, err := s.listSlots(ctx, from, &lost)
		if err != nil {
			return errors.Join(failed, err)
		}
		var overdue []storage.Slot
		for _, slot := range slots {
			if _, again := s.overdue[slot]; again {
				overdue = append(overdue, slot)
			}
			if len(seen) < overdueMost {
				seen[slot] = struct{}{}
			}
		}
		if err := s.shredAgain(ctx, overdue); failed == nil {
			failed = err
		}
		if from = next; from == nil || ctx.Err() != nil {
			s.overdue = seen
			return failed
		}
	}
}

func (s *Shares) shredAgain(ctx context.Context, slots []storage.Slot) error {
	if len(slots) == 0 {
		return nil
	}
	if err := s.backend.Destroy(ctx, slots...); err != nil {
		return fmt.Errorf("destroying shares again: %w", refusal.Unavailable(err))
	}
	if err := s.Strike(ctx, slots); err != nil {
		return fmt.Errorf("striking destroyed shares off the list: %w", err)
	}
	s.log.Info("destroyed shares whose first overwrite had failed", "count", len(slots))
	return nil
}

// listSlots returns the slots of at most strikeBatch rows of the list, starting
// at from, and the row after them, nil after the last.
func (s *Shares) listSlots(ctx context.Context, from []byte, lost *rows.Damage) (slots []storage.Slot, next []byte, err error) {
	var damaged *rows.Damage
	err = s.store.View(ctx, func(tx storage.Tx) error {
		slots, next, damaged = nil, nil, &rows.Damage{}
		looked := 0
		return rows.IgnoreEnough(tx.Range(BucketShred, from, nil, func(key, value []byte) error {
			if looked++; looked > strikeBatch {
				next = append([]byte(nil), key...)
				return rows.ErrEnough
			}
			if len(key) != 8 || len(value) != 8 {
				damaged.Note(BucketShred, rows.ErrDamaged)
				return nil
			}
			slots = append(slots, storage.Slot{
				Number: binary.BigEndian.Uint64(key), Generation: binary.BigEndian.Uint64(value),
			})
			return nil
		}))
	})
	if err == nil {
		lost.Add(damaged)
	}
	return slots, next, err
}
