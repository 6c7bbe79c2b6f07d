package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"hush/storage"
)

const (
	// snapshotStep is how many rows a snapshot reads between two looks at whether
	// it must end.
	snapshotStep = 1024
	// liveBlock is how many slots Live reads at once.
	liveBlock = 4096
)

// ErrSnapshotTooLong reports that a snapshot was ended because the disk is
// running full while it holds back the database's free pages.
var ErrSnapshotTooLong = errors.New("bolt: the disk ran full while the database was being read")

// Snapshot is a consistent view of all rows of a database. It is valid until the
// fn of Store.Snapshot returns.
type Snapshot struct {
	store *Store
	bolt  *bbolt.Tx
	full  bool // the disk was full when the snapshot began
}

// Snapshot runs fn on a consistent view of all rows. While it runs, the pages
// that updates free are not used again, so the database grows by what is
// written: fn must not wait for long.
func (s *Store) Snapshot(ctx context.Context, fn func(*Snapshot) error) error {
	if err := s.admit(ctx); err != nil {
		return err
	}
	s.space.BeginSnapshot()
	defer s.space.EndSnapshot()
	full := s.space.IsLow()
	return s.view(func(btx *bbolt.Tx) error {
		return fn(&Snapshot{store: s, bolt: btx, full: full})
	})
}

// Bytes returns the length of the database with its free pages.
func (s *Snapshot) Bytes() int64 { return s.bolt.Size() }

// Rows calls fn for each row of every bucket, in the order of the names of the
// buckets and of the keys. The slices are valid only during the call. It ends
// with the error of the context, with ErrSnapshotTooLong, or with that of fn.
func (s *Snapshot) Rows(ctx context.Context, fn func(bucket string, key, value []byte) error) error {
	rows := 0
	return s.bolt.ForEach(func(name []byte, b *bbolt.Bucket) error {
		bucket := string(name)
		if !validBucket(bucket) {
			return nil
		}
		return b.ForEach(func(key, value []byte) error {
			if rows++; rows%snapshotStep == 0 {
				if err := s.mayGoOn(ctx); err != nil {
					return err
				}
			}
			return fn(bucket, key, value)
		})
	})
}

func (s *Snapshot) mayGoOn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.store.fault.Check(); err != nil {
		return err
	}
	if !s.full && s.store.space.IsLow() {
		return ErrSnapshotTooLong
	}
	return nil
}

// ID returns the random number that the database shares with its shares. A copy
// of the rows in another folder has another.
func (s *Store) ID() (id [16]byte, err error) {
	if err := s.admit(context.Background()); err != nil {
		return id, err
	}
	return readStoreID(s.db)
}

// Extent is how far the slots of shares reach.
type Extent struct {
	Slots      uint64 // the number of the first slot beyond the file
	Generation uint64 // the highest one of all slots, destroyed ones included
}

// Live calls fn for each slot that holds a share, in the order of their numbers,
// and returns the extent of all slots. Shares that are put or destroyed meanwhile
// may be among them or not.
func (s *Shares) Live(ctx context.Context, fn func(slot storage.Slot, share [storage.ShareSize]byte) error) (all Extent, err error) {
	block := make([]byte, liveBlock*slotSize)
	for first := uint64(0); ; first += liveBlock {
		slots, err := s.readBlock(ctx, first, block)
		if err != nil || len(slots) == 0 {
			return all, err
		}
		all.Slots = first + uint64(len(slots))
		for i, d := range slots {
			if d.state == slotDamaged {
				continue
			}
			all.Generation = max(all.Generation, d.generation)
			if d.state != slotLive {
				continue
			}
			if err := fn(storage.Slot{Number: first + uint64(i), Generation: d.generation}, d.share); err != nil {
				return all, err
			}
		}
	}
}

// readBlock returns the slots from first on, none after the end of the file. A
// header reads as a fresh slot.
func (s *Shares) readBlock(ctx context.Context, first uint64, block []byte) ([]slotData, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.running.RUnlock()
	n, err := s.file.ReadAt(block, int64(first)*slotSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading shares: %w", err)
	}
	slots := make([]slotData, 0, n/slotSize)
	for i := range n / slotSize {
		number := first + uint64(i)
		if number == 0 {
			slots = append(slots, slotData{})
			continue
		}
		d := decodeSlot((*rawSlot)(block[i*slotSize:]), number)
		if d.state == slotDamaged {
			// It may have been written at that moment.
			if d, err = s.read(number); err != nil {
				return nil, err
			}
		}
		slots = append(slots, d)
	}
	return slots, nil
}
