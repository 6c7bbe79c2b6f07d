package vault

import (
	"context"
	"encoding/binary"
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
			s.vault.log.Error("striking destroyed shares off the list", "cause", err)
			return
		}
	}
}

// strike deletes the rows of destroyed shares, then releases their slots.
func (v *Vault) strike(ctx context.Context, slots []storage.Slot) error {
	err := v.store.Update(ctx, func(tx storage.Tx) error {
		for _, slot := range slots {
			if err := tx.Delete(bucketShred, bigEndian(slot.Number)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.recycle(slots...)
	return nil
}

// shredListed destroys every share that a former run listed and strikes it
// off, in batches. It runs before anybody is served, and its work is what was
// in flight at a crash.
func (v *Vault) shredListed(ctx context.Context) error {
	for {
		slots, err := v.listed(ctx)
		if err != nil || len(slots) == 0 {
			return err
		}
		if err := v.shares.Destroy(ctx, slots...); err != nil {
			return err
		}
		if err := v.strike(ctx, slots); err != nil {
			return err
		}
		v.log.Info("destroyed shares that the last run had left", "count", len(slots))
	}
}

// listed returns the first slots on the list.
func (v *Vault) listed(ctx context.Context) (slots []storage.Slot, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		slots = nil
		err := tx.Range(bucketShred, nil, nil, func(key, value []byte) error {
			if len(key) != 8 || len(value) != 8 {
				return errDamaged
			}
			slots = append(slots, storage.Slot{
				Number: binary.BigEndian.Uint64(key), Generation: binary.BigEndian.Uint64(value),
			})
			if len(slots) == strikeBatch {
				return errEnough
			}
			return nil
		})
		return ignoreEnough(err)
	})
	return slots, err
}
