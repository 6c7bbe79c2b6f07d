package sharefile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hush/storage"
)

// readSlotsAtOnce is how many slots are read at once.
const readSlotsAtOnce = 4096

// Extent is how far the slots of shares reach.
type Extent struct {
	Slots      uint64 // the number of the first slot beyond the file
	Generation uint64 // the highest one of all slots, destroyed ones included
}

// Live calls fn for each slot that holds a share, in the order of their numbers,
// and returns the extent of all slots. Shares that are put or destroyed meanwhile
// may be among them or not.
func (s *File) Live(ctx context.Context, fn func(slot storage.Slot, share [storage.ShareSize]byte) error) (all Extent, err error) {
	block := make([]byte, readSlotsAtOnce*SlotSize)
	for first := uint64(0); ; first += readSlotsAtOnce {
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
func (s *File) readBlock(ctx context.Context, first uint64, block []byte) ([]slotData, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.running.RUnlock()
	n, err := s.file.ReadAt(block, int64(first)*SlotSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading shares: %w", err)
	}
	slots := make([]slotData, 0, n/SlotSize)
	for i := range n / SlotSize {
		number := first + uint64(i)
		if number == 0 {
			slots = append(slots, slotData{})
			continue
		}
		d := decodeSlot((*rawSlot)(block[i*SlotSize:]), number)
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
