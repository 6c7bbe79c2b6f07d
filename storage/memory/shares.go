package memory

import (
	"context"
	"sync"

	"hush/storage"
)

// Shares is a storage.Shares in memory, and its own Recycler. It has no older
// slots, so there is never anything to reclaim.
type Shares struct {
	mu    sync.RWMutex
	slots map[uint64]*slot
	free  []uint64
}

var (
	_ storage.Shares   = (*Shares)(nil)
	_ storage.Recycler = (*Shares)(nil)
)

type slot struct {
	share      [storage.ShareSize]byte
	generation uint64
	state      state
	damaged    bool
}

type state uint8

const (
	stateLive state = iota + 1
	stateDestroyed
	stateFree
)

// Put implements storage.Shares.
func (s *Shares) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	if err := ctx.Err(); err != nil {
		return storage.Slot{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number := uint64(len(s.slots)) + 1
	if last := len(s.free) - 1; last >= 0 {
		number, s.free = s.free[last], s.free[:last]
	} else {
		s.slots[number] = new(slot)
	}
	it := s.slots[number]
	*it = slot{share: share, generation: it.generation + 1, state: stateLive}
	return storage.Slot{Number: number, Generation: it.generation}, nil
}

// PutMany implements storage.Shares.
func (s *Shares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, s, shares)
}

// Get implements storage.Shares.
func (s *Shares) Get(ctx context.Context, at storage.Slot) ([storage.ShareSize]byte, error) {
	if err := ctx.Err(); err != nil {
		return [storage.ShareSize]byte{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	it := s.slots[at.Number]
	if it == nil || it.state != stateLive || it.generation != at.Generation || it.damaged {
		return [storage.ShareSize]byte{}, storage.ErrShareGone
	}
	return it.share, nil
}

// Destroy implements storage.Shares.
func (s *Shares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range slots {
		if it := s.slots[at.Number]; it != nil && it.state == stateLive && it.generation <= at.Generation {
			*it = slot{generation: at.Generation, state: stateDestroyed}
		}
	}
	return nil
}

// Flip changes one bit of a share, as damage does, or changes it back. A damaged share
// is refused, as its checksum makes the other backends do. For tests.
func (s *Shares) Flip(at storage.Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.slots[at.Number]
	it.share[0] ^= 1
	it.damaged = !it.damaged
}

// Dump returns all shares, one after the other, for tests that search them.
func (s *Shares) Dump() (content []byte) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, it := range s.slots {
		content = append(content, it.share[:]...)
	}
	return content
}

// Overwrites implements storage.Shares. Nothing in memory keeps an older share.
func (s *Shares) Overwrites() bool { return true }

// BarOlder implements storage.Shares. No release opens what another had in memory.
func (s *Shares) BarOlder(context.Context) error { return nil }

// Observe implements storage.Shares. Nothing is made durable, so nothing is reported.
func (s *Shares) Observe(storage.Observer) {}

// Recycler implements storage.Shares.
func (s *Shares) Recycler() storage.Recycler { return s }

// Release implements storage.Recycler.
func (s *Shares) Release(slots ...storage.Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range slots {
		it := s.slots[at.Number]
		if it != nil && it.state == stateDestroyed && it.generation == at.Generation {
			it.state = stateFree
			s.free = append(s.free, at.Number)
		}
	}
}

// Touch implements storage.Recycler.
func (s *Shares) Touch(storage.Slot) {}

// Used implements storage.Recycler.
func (s *Shares) Used(storage.Slot) {}

// Reclaim implements storage.Recycler.
func (s *Shares) Reclaim() int { return 0 }
