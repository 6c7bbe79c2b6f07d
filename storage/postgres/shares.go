package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"hush/storage"
)

// Shares is a storage.Shares in the store's database. A slot is a row and its
// number comes from a sequence, so a destroyed share leaves nothing to keep
// account of: it has no Recycler, and no node has to know what the
// others free. A share that is put and never owned, as after a crash, stays as
// a row of about 110 bytes with its entry in the index.
//
// The generation is random. A standby that lagged when it was promoted repeats the
// numbers of shares that it lost, and so does a database that was set back; what still
// names those does not reach the new ones.
//
// Destroy deletes the row. What remains of it on disk is the server's to
// overwrite; see the package's comment.
type Shares struct {
	db    *Store
	puts  gather[putShare]
	gets  gather[getShare]
	drops gather[[]storage.Slot]

	observed storage.Observed
}

var _ storage.Shares = (*Shares)(nil)

type putShare struct {
	share [storage.ShareSize]byte
	slot  storage.Slot
}

type getShare struct {
	slot  storage.Slot
	share [storage.ShareSize]byte
	found bool
}

func newShares(db *Store) *Shares {
	s := &Shares{db: db}
	s.puts = gather[putShare]{do: synced(s, s.putAll), most: 1}
	s.gets = gather[getShare]{do: s.getAll, most: 2}
	s.drops = gather[[]storage.Slot]{do: synced(s, s.dropAll), most: 1}
	return s
}

// Overwrites implements storage.Shares: what was deleted stays in the write-ahead log.
func (s *Shares) Overwrites() bool { return false }

// BarOlder implements storage.Shares. It has nothing to do: every release that opens a
// database looks at the format of the data.
func (s *Shares) BarOlder(context.Context) error { return nil }

// Recycler implements storage.Shares: there is none.
func (s *Shares) Recycler() storage.Recycler { return nil }

// Put implements storage.Shares.
func (s *Shares) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	if err := s.db.enter(ctx); err != nil {
		return storage.Slot{}, err
	}
	defer s.db.running.RUnlock()
	it := &putShare{share: share}
	if err := s.puts.join(it); err != nil {
		return storage.Slot{}, outward(err)
	}
	return it.slot, nil
}

// PutMany implements storage.Shares.
func (s *Shares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	slots := make([]storage.Slot, len(shares))
	if err := s.db.enter(ctx); err != nil {
		return slots, err
	}
	defer s.db.running.RUnlock()
	items := make([]*putShare, len(shares))
	for i, share := range shares {
		items[i] = &putShare{share: share}
	}
	errs := s.puts.joinAll(items)
	for i, err := range errs {
		if err == nil {
			slots[i] = items[i].slot
		}
		errs[i] = outward(err)
	}
	return slots, errors.Join(errs...)
}

// putAll inserts rows. Their numbers are drawn in the same transaction, so that
// one which a failover forgot is not used. Repeated after an unknown outcome it
// draws others; a row without an owner may stay.
func (s *Shares) putAll(items []*putShare) error {
	shares, generations := newArray(oidBytea), newArray(oidInt8)
	for _, it := range items {
		shares.bytea(encodeShare(it.share))
		generations.int8(int64(1 + randomUint64()>>2))
	}
	all, drawn := shares.bytes(), generations.bytes()
	return s.db.patiently(context.Background(), s.db.patience(), func(c *conn) error {
		slots := make(map[[storage.ShareSize]byte][]storage.Slot, len(items))
		c.queue(stmtPutShares, all, drawn)
		err := c.exchange(func(_ int, columns [][]byte) error {
			if len(columns) != 3 || len(columns[0]) != 8 || len(columns[1]) != 8 {
				return errProtocol
			}
			share, ok := decodeShare(columns[2])
			if !ok {
				return errProtocol
			}
			slots[share] = append(slots[share], storage.Slot{
				Number: binary.BigEndian.Uint64(columns[0]), Generation: binary.BigEndian.Uint64(columns[1]),
			})
			return nil
		})
		if err != nil {
			return err
		}
		switch {
		case len(slots) == 0:
			return c.changed()
		case c.warned:
			return &brokenError{errUnconfirmed}
		}
		return assign(items, slots)
	})
}

// assign gives each item one of the slots that its share got.
func assign(items []*putShare, slots map[[storage.ShareSize]byte][]storage.Slot) error {
	for _, it := range items {
		free := slots[it.share]
		if len(free) == 0 {
			return errProtocol
		}
		it.slot, slots[it.share] = free[0], free[1:]
	}
	return nil
}

// Get implements storage.Shares.
func (s *Shares) Get(ctx context.Context, slot storage.Slot) ([storage.ShareSize]byte, error) {
	none := [storage.ShareSize]byte{}
	if err := s.db.enter(ctx); err != nil {
		return none, err
	}
	defer s.db.running.RUnlock()
	if slot.Number > math.MaxInt64 || slot.Generation > math.MaxInt64 {
		return none, storage.ErrShareGone
	}
	it := &getShare{slot: slot}
	if err := s.gets.join(it); err != nil {
		return none, outward(err)
	}
	if !it.found {
		return none, storage.ErrShareGone
	}
	return it.share, nil
}

func (s *Shares) getAll(items []*getShare) error {
	numbers, generations := newArray(oidInt8), newArray(oidInt8)
	for _, it := range items {
		numbers.int8(int64(it.slot.Number))
		generations.int8(int64(it.slot.Generation))
	}
	n, g := numbers.bytes(), generations.bytes()
	return s.db.patiently(context.Background(), s.db.patience(), func(c *conn) error {
		c.queue(stmtGetShares, n, g)
		return c.exchange(func(_ int, columns [][]byte) error {
			if len(columns) != 2 || len(columns[0]) != 4 {
				return errProtocol
			}
			at := binary.BigEndian.Uint32(columns[0])
			if at < 1 || int(at) > len(items) {
				return errProtocol
			}
			// A damaged share is as good as gone.
			it := items[at-1]
			it.share, it.found = decodeShare(columns[1])
			return nil
		})
	})
}

// Destroy implements storage.Shares.
func (s *Shares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := s.db.enter(ctx); err != nil {
		return err
	}
	defer s.db.running.RUnlock()
	if len(slots) == 0 {
		return nil
	}
	return outward(s.drops.join(&slots))
}

// dropAll deletes rows. What is gone already may have been deleted by a commit
// that the standbys lack.
func (s *Shares) dropAll(items []*[]storage.Slot) error {
	numbers, generations, asked := newArray(oidInt8), newArray(oidInt8), int64(0)
	for _, it := range items {
		for _, slot := range *it {
			if slot.Number <= math.MaxInt64 && slot.Generation <= math.MaxInt64 {
				asked++
				numbers.int8(int64(slot.Number))
				generations.int8(int64(slot.Generation))
			}
		}
	}
	n, g := numbers.bytes(), generations.bytes()
	return s.db.patiently(context.Background(), s.db.patience(), func(c *conn) error {
		gone := int64(-1)
		c.queue(stmtDropShares, n, g)
		if err := c.exchange(intoInt8(&gone)); err != nil {
			return err
		}
		if gone < 0 {
			return c.changed()
		}
		if gone < asked || c.warned {
			return c.confirm()
		}
		return nil
	})
}

// Observe implements storage.Shares.
func (s *Shares) Observe(by storage.Observer) { s.observed.By(by) }

// synced returns do, which makes changes of shares durable, with its time told.
func synced[T any](s *Shares, do func(T) error) func(T) error {
	return func(items T) error { return s.observed.Sync(func() error { return do(items) }, outward) }
}
