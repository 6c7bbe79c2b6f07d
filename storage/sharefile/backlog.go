package sharefile

import (
	"errors"
	"slices"
	"sync"

	"hush/storage"
)

// backlog holds slots that changed since the last sync began. They are written
// when the next one begins: slots filled at the same time are adjacent, so one
// write covers many.
type backlog struct {
	mu      sync.Mutex
	waiting *changes           // for the next sync; nil for none
	writing *changes           // of the running sync; nil for none
	spare   map[uint64]rawSlot // empty, for the next changes
	numbers []uint64           // scratch of runs
}

// changes are the slots that one sync writes.
type changes struct {
	slots map[uint64]rawSlot
	// err is what became of them all, and failed has the slots that found the disk
	// full. Both are set when the sync that has taken them ends, which is before any
	// later sync begins. That one may succeed, and says nothing about them.
	err    error
	failed map[uint64]error
}

// change is a slot among changes.
type change struct {
	of     *changes
	number uint64
}

// outcome returns what became of the change, once a sync that was begun later has
// ended.
func (c change) outcome() error {
	if c.of.err != nil {
		return c.of.err
	}
	return c.of.failed[c.number]
}

// add sets what the next sync writes to a slot.
func (b *backlog) add(number uint64, raw rawSlot) change {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		if b.spare == nil {
			b.spare = map[uint64]rawSlot{}
		}
		b.waiting, b.spare = &changes{slots: b.spare}, nil
	}
	b.waiting.slots[number] = raw
	return change{b.waiting, number}
}

// get returns what a slot will hold, if it is in the backlog.
func (b *backlog) get(number uint64) (raw rawSlot, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		raw, ok = b.waiting.slots[number]
	}
	if !ok && b.writing != nil {
		raw, ok = b.writing.slots[number]
	}
	return raw, ok
}

// sync takes the waiting changes, passes them to write in runs of adjacent slots,
// each with the number of its first slot, and then calls flush. Slots that find the
// disk full fail alone. Any other error is that of all the changes, and is returned.
// Only the leader of a sync calls it.
func (b *backlog) sync(write func(first uint64, run []byte) error, flush func() error) error {
	b.mu.Lock()
	taken := b.waiting
	b.writing, b.waiting = taken, nil
	b.numbers = b.numbers[:0]
	if taken != nil {
		for number := range taken.slots {
			b.numbers = append(b.numbers, number)
		}
	}
	b.mu.Unlock()

	err := b.write(taken, write)
	if err == nil {
		err = flush()
	}
	if taken == nil {
		return err
	}

	// The file has the changes now, or they have failed.
	b.mu.Lock()
	defer b.mu.Unlock()
	taken.err = err
	clear(taken.slots)
	b.spare, b.writing, taken.slots = taken.slots, nil, nil
	return err
}

// write writes changes in runs.
func (b *backlog) write(taken *changes, write func(first uint64, run []byte) error) error {
	slices.Sort(b.numbers)
	var run []byte
	for i, number := range b.numbers {
		raw := taken.slots[number]
		run = append(run, raw[:]...)
		if i+1 < len(b.numbers) && b.numbers[i+1] == number+1 {
			continue
		}
		first := number + 1 - uint64(len(run)/SlotSize)
		err := write(first, run)
		if errors.Is(err, storage.ErrFull) {
			err = taken.writeEach(first, run, write)
		}
		if err != nil {
			return err
		}
		run = run[:0]
	}
	return nil
}

// writeEach writes the slots of a run that found the disk full one by one: one that
// needs no space must not fail because another one does.
func (c *changes) writeEach(first uint64, run []byte, write func(first uint64, run []byte) error) error {
	for at := 0; at < len(run); at += SlotSize {
		number := first + uint64(at/SlotSize)
		err := write(number, run[at:at+SlotSize])
		switch {
		case errors.Is(err, storage.ErrFull):
			if c.failed == nil {
				c.failed = map[uint64]error{}
			}
			c.failed[number] = err
		case err != nil:
			return err
		}
	}
	return nil
}
