package sharefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"hush/storage"
)

// Table is what the slots of a shares file hold. It takes 8 bytes of memory
// a slot, 8 MB per million.
type Table struct {
	// Torn is how many bytes at the end of the file are part of no slot: growing
	// it was interrupted.
	Torn int64

	file *os.File
	// slots has generation and state of each: generation << stateBits | state.
	slots []uint64
}

const stateBits = 2

// packed returns what a Table keeps of a slot.
func (d slotData) packed() uint64 { return d.generation<<stateBits | uint64(shownState(d.state)) }

// ReadTable reads the slots of a file of size bytes. The table has the file from then
// on, which Close closes; if there is an error, the caller still has it.
func ReadTable(ctx context.Context, file *os.File, size int64) (*Table, error) {
	t := &Table{Torn: size % SlotSize, file: file, slots: make([]uint64, size/SlotSize)}
	batch := make([]byte, growth*SlotSize)
	for next := uint64(0); next < t.Count(); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := file.ReadAt(batch, int64(next)*SlotSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading shares: %w", err)
		}
		if n < SlotSize {
			return nil, fmt.Errorf("reading shares: %w", io.ErrUnexpectedEOF)
		}
		for at := 0; at+SlotSize <= n && next < t.Count(); at += SlotSize {
			d := decodeSlot((*rawSlot)(batch[at:]), next)
			t.slots[next] = d.packed()
			next++
		}
	}
	return t, nil
}

func shownState(s slotState) storage.SlotState {
	switch s {
	case slotFresh:
		return storage.SlotFresh
	case slotLive:
		return storage.SlotLive
	case slotDestroyed:
		return storage.SlotDestroyed
	case slotDamaged:
	}
	return storage.SlotDamaged
}

// Size returns the length of the file in bytes.
func (t *Table) Size() int64 { return int64(t.Count())*SlotSize + t.Torn }

// Close closes the file.
func (t *Table) Close() error { return t.file.Close() }

// Count returns the number of slots, including slot 0, which is the header.
func (t *Table) Count() uint64 { return uint64(len(t.slots)) }

// Slot returns the generation and the state of a slot below Count. A damaged
// slot has no generation.
func (t *Table) Slot(number uint64) (generation uint64, state storage.SlotState) {
	return t.slots[number] >> stateBits, storage.SlotState(t.slots[number] & (1<<stateBits - 1))
}

// Get returns the share in slot, or storage.ErrShareGone.
func (t *Table) Get(slot storage.Slot) (share [storage.ShareSize]byte, err error) {
	if slot.Number == 0 || slot.Number >= t.Count() {
		return share, storage.ErrShareGone
	}
	var raw rawSlot
	if _, err := t.file.ReadAt(raw[:], int64(slot.Number)*SlotSize); err != nil {
		return share, fmt.Errorf("reading share: %w", err)
	}
	d := decodeSlot(&raw, slot.Number)
	if d.state != slotLive || d.generation != slot.Generation {
		return share, storage.ErrShareGone
	}
	return d.share, nil
}

// CurrentTable has the slots of a file in use. Each is as it was when Slots read it:
// one that it shows as live held that share then, and one that it does not show as
// live did not hold the share of any row that is stored after Slots has returned. It
// takes 8 bytes of memory a slot.
type CurrentTable struct {
	shares *File
	table  Table
}

// Slots reads the state of every slot.
func (s *File) Slots(ctx context.Context) (*CurrentTable, error) {
	t := &CurrentTable{shares: s}
	block := make([]byte, readSlotsAtOnce*SlotSize)
	for first := uint64(0); ; first += readSlotsAtOnce {
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
func (t *CurrentTable) Count() uint64 { return t.table.Count() }

// Slot returns the generation and the state of a slot below Count. A damaged
// slot has no generation.
func (t *CurrentTable) Slot(number uint64) (generation uint64, state storage.SlotState) {
	return t.table.Slot(number)
}

// Get returns the share that is in slot now, or storage.ErrShareGone.
func (t *CurrentTable) Get(slot storage.Slot) (share [storage.ShareSize]byte, err error) {
	return t.shares.Get(context.Background(), slot)
}
