package shares

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"hush/crash"
	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// Shares hands out durable shares, and destroys those whose secrets or mails
// have ended. A share is listed for destruction in the transaction that ends
// what it opens, destroyed after that, and struck off the list in the
// background.
type Shares struct {
	store   cluster.Store
	backend storage.Shares
	log     *slog.Logger
	pool    *sharePool
	queue   *shredQueue
	spent   *spent.Log
	epochs  *epochs // nil if the backend overwrites

	striking sync.Mutex // held while rows are struck off
	sweeping sync.Mutex
	overdue  map[storage.Slot]struct{} // listed at the last sweep; guarded by sweeping
}

// New returns the shares of a backend. If the backend does not overwrite, they
// are masked with epoch keys, which are sealed with keys. A share of a secret
// counts as destroyed when the end of the secret is in the log, too; nil for no
// log.
func New(s cluster.Store, backend storage.Shares, keys *seal.Keys, log *slog.Logger, ended *spent.Log) *Shares {
	made := &Shares{store: s, backend: backend, log: log, spent: ended, pool: newSharePool(backend)}
	if !backend.Overwrites() {
		made.epochs = newEpochs(s, keys)
	}
	made.queue = newShredQueue(made.strikeQueued, log)
	return made
}

// Take returns a durable unused share for owner. If the backend does not
// overwrite, the share is masked, and the key of its epoch is durable.
func (s *Shares) Take(ctx context.Context, owner Owner) (Ready, error) {
	if s.epochs == nil {
		return s.pool.take(ctx)
	}
	mask, epoch, err := s.epochs.maskNew(ctx, owner)
	if err != nil {
		return Ready{}, err
	}
	ready, err := s.pool.take(ctx)
	ready.Share, ready.epoch = xor(ready.Share, mask), epoch
	return ready, err
}

// Own gives a share to its owner, in the transaction that stores it. A standby
// that lagged when it was promoted may lack the share or the key of its epoch,
// which this process still holds: then the update fails, and whatever it stores
// would not open. The caller must call Discard if the transaction fails.
func (s *Shares) Own(tx *rows.Tx, ready Ready) error {
	tx.NeedShare(ready.Slot)
	if s.epochs == nil {
		return nil
	}
	return ready.epoch.check(tx)
}

// Fill keeps shares ready until ctx ends.
func (s *Shares) Fill(ctx context.Context) { s.pool.fill(ctx) }

// Close destroys the shares that are ready and that no later start would find:
// those of a backend that does not reuse slots. Fill must have ended.
func (s *Shares) Close(ctx context.Context) error {
	if _, ok := s.Recycler(); ok {
		return nil
	}
	slots := s.pool.drain()
	if len(slots) == 0 {
		return nil
	}
	return s.backend.Destroy(ctx, slots...)
}

// StrikeUntil strikes destroyed shares off the list until ctx ends, and then
// the remaining ones.
func (s *Shares) StrikeUntil(ctx context.Context) { s.queue.run(ctx) }

// Get reads the share of owner as Take returned it. It returns
// storage.ErrShareGone if the share was destroyed, and ErrEnded if the key of
// its epoch was.
func (s *Shares) Get(ctx context.Context, slot storage.Slot, owner Owner) ([storage.ShareSize]byte, error) {
	share, err := s.backend.Get(ctx, slot)
	if err != nil || s.epochs == nil {
		return share, err
	}
	mask, err := s.epochs.maskStored(ctx, owner)
	if err != nil {
		return [storage.ShareSize]byte{}, err
	}
	return xor(share, mask), nil
}

// EndEpochs deletes the keys of epochs that passed before now, some in each
// call, so that what was sealed with their masks can no longer be opened. now
// must be a time up to which deleting is safe. EndEpochs is a sweep.Batch.
func (s *Shares) EndEpochs(ctx context.Context, now time.Time, _ *rows.Damage) (int, error) {
	if s.epochs == nil {
		return 0, nil
	}
	return s.epochs.end(ctx, now)
}

// ForgetEpochs wipes the opened keys, and those of epochs that passed before now
// for good, since another node deletes their rows. now is as for EndEpochs.
func (s *Shares) ForgetEpochs(now time.Time) {
	if s.epochs != nil {
		s.epochs.wipe(epochsBefore(now))
	}
}

// List lists a share for destruction, in the transaction that ends what it
// opens.
func (s *Shares) List(tx *rows.Tx, slot storage.Slot) error {
	if r := s.backend.Recycler(); r != nil {
		r.Touch(slot)
	}
	return tx.Put(BucketShred, rows.BigEndian(slot.Number), rows.BigEndian(slot.Generation))
}

// Recycler returns that of the backend, if it reuses slots.
func (s *Shares) Recycler() (storage.Recycler, bool) {
	r := s.backend.Recycler()
	return r, r != nil
}

// Admit returns ErrUnavailable while the end of a secret could not be logged. It
// is for the transaction that would end one before its time.
func (s *Shares) Admit() error { return s.spent.Admit() }

// Destroy overwrites shares whose owners have durably ended, logs how, unless
// that is spent.KindNone, and queues them to be struck off the list.
func (s *Shares) Destroy(ctx context.Context, how spent.Kind, slots ...storage.Slot) error {
	if err := s.destroy(context.WithoutCancel(ctx), how, slots); err != nil {
		return fmt.Errorf("destroying the share: %w", refusal.Unavailable(err))
	}
	s.queue.add(slots...)
	return nil
}

// destroy overwrites shares and logs how they ended, both at the same time: each
// waits for a disk of its own.
func (s *Shares) destroy(ctx context.Context, how spent.Kind, slots []storage.Slot) error {
	if s.spent == nil || how == spent.KindNone {
		return s.backend.Destroy(ctx, slots...)
	}
	var logging sync.WaitGroup
	var logged error
	crash.Go(&logging, s.log, func() { logged = s.spent.Slots(how, slots...) })
	err := s.backend.Destroy(ctx, slots...)
	logging.Wait()
	return errors.Join(err, logged)
}

// DestroyListed returns once a share that was listed for destruction is destroyed,
// and destroys it if it still is on the list. The call that listed it must have
// ended, on this node: of two that end at once, the log would get one end twice.
func (s *Shares) DestroyListed(ctx context.Context, how spent.Kind, slot storage.Slot) error {
	s.striking.Lock()
	defer s.striking.Unlock()
	var listed bool
	err := s.store.View(ctx, func(tx *rows.Tx) (err error) {
		listed, err = IsListed(tx, slot)
		return err
	})
	if err != nil || !listed {
		return err
	}
	ctx = cluster.Unchecked(context.WithoutCancel(ctx)) // what it opens has ended already
	if err := s.destroy(ctx, how, []storage.Slot{slot}); err != nil {
		return fmt.Errorf("destroying a share again: %w", refusal.Unavailable(err))
	}
	return s.Strike(ctx, []storage.Slot{slot})
}

// Discard frees the slot of a secret that was certainly not stored. If the
// outcome is unknown, the next start decides. If the cause is that the share or
// the key of its epoch is missing, it forgets all that were held with it.
func (s *Shares) Discard(cause error, slot storage.Slot) {
	if errors.Is(cause, storage.ErrShareGone) {
		s.pool.forget()
		if s.epochs != nil {
			s.epochs.forget()
		}
		return
	}
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
	if r := s.backend.Recycler(); r != nil {
		r.Release(slots...)
	}
}

// Strike deletes the rows of destroyed shares, then frees their slots. However
// many callers try, each row is struck off once and frees its slot once: a
// missing row, or one that names a later share of the slot, is skipped.
func (s *Shares) Strike(ctx context.Context, slots []storage.Slot) error {
	var struck []storage.Slot
	err := s.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
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
		return s.spent.PutSynced(tx)
	})
	if err != nil {
		return err
	}
	s.recycle(struck...)
	return nil
}

// strikeQueued is Strike for the queue.
func (s *Shares) strikeQueued(ctx context.Context, slots []storage.Slot) error {
	s.striking.Lock()
	defer s.striking.Unlock()
	return s.Strike(ctx, slots)
}

// IsListed reports whether a share, or a later one of its slot, is on the list of
// shares to be destroyed.
func IsListed(tx storage.Tx, slot storage.Slot) (bool, error) {
	row, err := tx.Get(BucketShred, rows.BigEndian(slot.Number))
	if errors.Is(err, storage.ErrNotFound) || err == nil && len(row) != 8 {
		return false, nil
	}
	return err == nil && binary.BigEndian.Uint64(row) >= slot.Generation, err
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
		if err := s.destroy(ctx, spent.KindSecretEnded, slots); spent.IsFull(err) {
			s.log.Warn("the ends of secrets that the last run left are logged later", "cause", err)
			return nil
		} else if err != nil {
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
	s.queue.strikeAll() // what is left was not destroyed
	var lost rows.Damage
	defer lost.Report(s.log)
	seen := map[storage.Slot]struct{}{}
	var failed error
	for from := []byte(nil); ; {
		next, shredding, err := s.shredBatch(ctx, from, seen, &lost)
		if err != nil {
			return errors.Join(failed, err)
		}
		if failed == nil {
			failed = shredding
		}
		if from = next; from == nil || ctx.Err() != nil {
			s.overdue = seen
			return failed
		}
	}
}

// shredBatch is ShredOverdue for some rows from a key on, which it adds to seen.
// next is the row after them, nil after the last; failed is why shares could not be
// destroyed. Nothing else strikes the rows off meanwhile: the log would then have a
// second entry that the store knows nothing of any more.
func (s *Shares) shredBatch(ctx context.Context, from []byte, seen map[storage.Slot]struct{}, lost *rows.Damage) (next []byte, failed, err error) {
	s.striking.Lock()
	defer s.striking.Unlock()
	slots, next, err := s.listSlots(ctx, from, lost)
	if err != nil {
		return nil, nil, err
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
	return next, s.shredAgain(ctx, overdue), nil
}

func (s *Shares) shredAgain(ctx context.Context, slots []storage.Slot) error {
	if len(slots) == 0 {
		return nil
	}
	if err := s.destroy(ctx, spent.KindSecretEnded, slots); err != nil {
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
	err = s.store.View(ctx, func(tx *rows.Tx) error {
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
