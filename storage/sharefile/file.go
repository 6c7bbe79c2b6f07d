package sharefile

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"hush/storage"
	"hush/storage/disk"
)

const (
	// growth is the number of slots, including the header, that the file grows
	// by: 1 MiB.
	growth = 16384
	// smallGrowth is growth in small files.
	smallGrowth = 64
	// lockStripes separates writers of one slot without a lock for each.
	lockStripes = 64
)

// File is a storage.Shares in one file. slotData draws
// its format. Only the list of free slots is kept in memory.
type File struct {
	file   *os.File
	writer disk.Writer // of file
	fault  *disk.Fault
	slots  allocator
	// growth is how many slots the file grows by: the constant, but in small files.
	growth uint64
	syncs  disk.Syncer
	// backlog holds what the next sync writes.
	backlog backlog
	locks   [lockStripes]sync.Mutex

	space *disk.Space // nil if nothing watches the disk

	running sync.RWMutex // held for reading by every operation
	closed  bool

	observed storage.Observed
}

var _ storage.Shares = (*File)(nil)

// Options say how a file is opened.
type Options struct {
	// Fault is that of the database, too: after a fault in one of them both refuse
	// everything. It is required.
	Fault *disk.Fault
	// Space says when the file must not grow; nil if nothing watches the disk.
	Space *disk.Space
	// Small makes the file grow by 4 KiB, and not by 1 MiB. For tests.
	Small bool
	// Writer writes and syncs the file; nil for the system's. For tests.
	Writer disk.Writer
}

// Open opens the file at path, and returns its store id. Every slot in it counts as
// old. It returns ErrMismatch for what is no such file. The caller closes the file.
func Open(path string, opts Options) (*File, StoreID, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, StoreID{}, fmt.Errorf("opening shares: %w", err)
	}
	id, size, err := ReadHeader(file)
	if err != nil {
		return nil, StoreID{}, errors.Join(fmt.Errorf("opening shares: %w", err), file.Close())
	}
	s := &File{file: file, fault: opts.Fault, space: opts.Space, growth: growth, writer: opts.Writer}
	if s.writer == nil {
		s.writer = disk.System{}
	}
	if opts.Small {
		s.growth = smallGrowth
	}
	s.syncs.Do = func() error { return s.observed.Sync(s.syncFile, asIs) }
	// An interrupted growth may have left part of a slot; the next one starts
	// with it.
	end := uint64(size) / SlotSize
	s.slots.old, s.slots.next = end, end
	s.slots.end.Store(end)
	return s, id, nil
}

// ReadHeader returns the store id and the length in bytes of a file, or ErrMismatch.
func ReadHeader(file *os.File) (StoreID, int64, error) {
	info, err := file.Stat()
	if err != nil {
		return StoreID{}, 0, err
	}
	var raw rawSlot
	if _, err := file.ReadAt(raw[:], 0); errors.Is(err, io.EOF) {
		return StoreID{}, 0, fmt.Errorf("%w: shares is truncated", ErrMismatch)
	} else if err != nil {
		return StoreID{}, 0, err
	}
	id, _, err := decodeHeader(&raw)
	return id, info.Size(), err
}

// Put implements storage.Shares.
func (s *File) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	if err := s.enter(ctx); err != nil {
		return storage.Slot{}, err
	}
	defer s.running.RUnlock()
	free, slot, filled, err := s.place(share)
	if err != nil {
		return storage.Slot{}, err
	}
	if err := s.await(filled); err != nil {
		s.slots.giveBack(free)
		return storage.Slot{}, err
	}
	return slot, nil
}

// PutMany implements storage.Shares.
func (s *File) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	slots := make([]storage.Slot, len(shares))
	if err := s.enter(ctx); err != nil {
		return slots, err
	}
	defer s.running.RUnlock()
	free, filled := make([]storage.Slot, len(shares)), make([]change, 0, len(shares))
	var errs []error
	for i, share := range shares {
		var c change
		var err error
		if free[i], slots[i], c, err = s.place(share); err != nil {
			errs = append(errs, err)
			break
		}
		filled = append(filled, c)
	}
	if len(filled) > 0 {
		_ = s.await(filled...) // each has its own outcome
	}
	for i, c := range filled {
		if err := c.outcome(); err != nil {
			s.slots.giveBack(free[i])
			slots[i], errs = storage.Slot{}, append(errs, err)
		}
	}
	return slots, errors.Join(errs...)
}

// Get implements storage.Shares.
func (s *File) Get(ctx context.Context, slot storage.Slot) ([storage.ShareSize]byte, error) {
	var none [storage.ShareSize]byte
	if err := s.enter(ctx); err != nil {
		return none, err
	}
	defer s.running.RUnlock()
	if !s.slots.inFile(slot.Number) {
		return none, storage.ErrShareGone
	}
	stored, err := s.read(slot.Number)
	if err != nil {
		return none, err
	}
	if stored.state != slotLive || stored.generation != slot.Generation {
		return none, storage.ErrShareGone
	}
	return stored.share, nil
}

// Destroy implements storage.Shares. A slot beyond the file has nothing to
// destroy.
func (s *File) Destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.RUnlock()
	var errs []error
	var wiped []change
	for _, slot := range slots {
		if !s.slots.inFile(slot.Number) {
			continue
		}
		c, err := s.wipe(slot)
		if err != nil {
			errs = append(errs, err)
		}
		if c.of != nil {
			wiped = append(wiped, c)
		}
	}
	return errors.Join(append(errs, s.await(wiped...))...)
}

// Overwrites implements storage.Shares: a share is overwritten in its slot.
func (s *File) Overwrites() bool { return true }

// Recycler implements storage.Shares.
func (s *File) Recycler() storage.Recycler { return &s.slots }

// Close waits for running operations and closes the file. Further calls do
// nothing.
func (s *File) Close() error {
	s.running.Lock()
	defer s.running.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("closing shares: %w", err)
	}
	return nil
}

// enter admits an operation, which must then release running.
func (s *File) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.running.RLock()
	err := s.fault.Check()
	if s.closed {
		err = storage.ErrClosed
	}
	if err != nil {
		s.running.RUnlock()
	}
	return err
}

// place takes a free slot and writes share into it, which is durable once that
// change is awaited.
func (s *File) place(share [storage.ShareSize]byte) (free, slot storage.Slot, filled change, err error) {
	for filled.of == nil {
		var fresh bool
		if free, fresh, err = s.slots.take(s.grow); err != nil {
			return storage.Slot{}, storage.Slot{}, change{}, err
		}
		if slot, filled, err = s.fill(free, fresh, share); err != nil {
			return storage.Slot{}, storage.Slot{}, change{}, err
		}
	}
	return free, slot, filled, nil
}

// fill writes share into a slot from the allocator. The content of a fresh slot
// is known. Any other slot is read first and refused, without a change, if the
// file shows that it is not free after all: it was written since it was released,
// or it is damaged.
func (s *File) fill(free storage.Slot, fresh bool, share [storage.ShareSize]byte) (slot storage.Slot, filled change, err error) {
	lock := s.lock(free.Number)
	defer lock.Unlock()
	var stored slotData
	if !fresh {
		if stored, err = s.read(free.Number); err != nil {
			return free, change{}, err
		}
	}
	released := free.Generation != 0
	stale := released && (stored.state != slotDestroyed || stored.generation != free.Generation)
	if stored.state == slotDamaged || stale {
		return free, change{}, nil
	}
	slot = storage.Slot{Number: free.Number, Generation: stored.generation + 1}
	raw := slotData{share: share, generation: slot.Generation, state: slotLive}.encode(slot.Number)
	return slot, s.backlog.add(slot.Number, raw), nil
}

// wipe overwrites the share in slot, unless it is newer than the given one: then
// there is no change.
func (s *File) wipe(slot storage.Slot) (wiped change, err error) {
	lock := s.lock(slot.Number)
	defer lock.Unlock()
	stored, err := s.read(slot.Number)
	if err != nil {
		return change{}, err
	}
	if stored.state == slotDamaged {
		return s.scramble(slot.Number), nil
	}
	if stored.generation > slot.Generation {
		return change{}, nil
	}
	// If the file is older than the record, the next share must still get a
	// generation that no record names.
	gone := slotData{generation: slot.Generation, state: slotDestroyed}
	_, _ = rand.Read(gone.share[:]) // never fails: it ends the process instead
	return s.backlog.add(slot.Number, gone.encode(slot.Number)), nil
}

// scramble overwrites a damaged slot, whose share may still be readable, and
// leaves it damaged.
func (s *File) scramble(number uint64) change {
	var raw rawSlot
	_, _ = rand.Read(raw[:]) // never fails: it ends the process instead
	return s.backlog.add(number, raw)
}

func (s *File) lock(number uint64) *sync.Mutex {
	lock := &s.locks[number%lockStripes]
	lock.Lock()
	return lock
}

// Observe implements storage.Shares.
func (s *File) Observe(by storage.Observer) { s.observed.By(by) }

// asIs shows an observer the error itself.
func asIs(err error) error { return err }
