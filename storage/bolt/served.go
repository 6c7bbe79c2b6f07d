package bolt

import (
	"context"

	"hush/storage"
)

// View runs fn on the rows of the snapshot. Its Range ends as Rows does.
func (s *Snapshot) View(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.mayGoOn(ctx); err != nil {
		return err
	}
	t := snapshotTx{tx: tx{bolt: s.bolt}, goOn: func() error { return s.mayGoOn(ctx) }}
	defer func() { t.bolt = nil }()
	return fn(&t)
}

// snapshotTx is a transaction that looks now and then at whether it must end.
type snapshotTx struct {
	tx

	rows int
	goOn func() error
}

// Range implements storage.Tx.
func (t *snapshotTx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	return t.tx.Range(bucket, from, to, func(key, value []byte) error {
		if t.rows++; t.rows%snapshotStep == 0 {
			if err := t.goOn(); err != nil {
				return err
			}
		}
		return fn(key, value)
	})
}

// Buckets returns the names of the buckets, without the store's own.
func (s *Snapshot) Buckets() ([]string, error) { return bucketNames(s.bolt) }

// ServedSlots are the slots of shares in use. Each is as it was when Slots read it:
// one that it shows as live held that share then, and one that it does not show as
// live did not hold the share of any row that is stored after Slots has returned. It
// takes 8 bytes of memory a slot.
type ServedSlots struct {
	shares *Shares
	table  SlotTable
}

// Slots reads the state of every slot.
func (s *Shares) Slots(ctx context.Context) (*ServedSlots, error) {
	t := &ServedSlots{shares: s}
	block := make([]byte, liveBlock*slotSize)
	for first := uint64(0); ; first += liveBlock {
		slots, err := s.readBlock(ctx, first, block)
		if err != nil || len(slots) == 0 {
			return t, err
		}
		for _, d := range slots {
			t.table.slots = append(t.table.slots, d.packed())
		}
	}
}

// Count returns the number of slots, including slot 0, which is the header.
func (t *ServedSlots) Count() uint64 { return t.table.Count() }

// Slot returns the generation and the state of a slot below Count. A damaged
// slot has no generation.
func (t *ServedSlots) Slot(number uint64) (generation uint64, state storage.SlotState) {
	return t.table.Slot(number)
}

// Get returns the share that is in slot now, or storage.ErrShareGone.
func (t *ServedSlots) Get(slot storage.Slot) (share [storage.ShareSize]byte, err error) {
	return t.shares.Get(context.Background(), slot)
}
