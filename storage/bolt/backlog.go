package bolt

import (
	"slices"
	"sync"
)

// backlog holds slots that changed since the last sync began. They are written
// when the next one begins: slots filled at the same time are adjacent, so one
// write covers many.
type backlog struct {
	mu      sync.Mutex
	waiting map[uint64]rawSlot // for the next sync
	writing map[uint64]rawSlot // of the running sync
	numbers []uint64           // scratch of runs
}

// add sets what the next sync writes to a slot.
func (b *backlog) add(number uint64, raw rawSlot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = map[uint64]rawSlot{}
	}
	b.waiting[number] = raw
}

// get returns what a slot will hold, if it is in the backlog.
func (b *backlog) get(number uint64) (rawSlot, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if raw, ok := b.waiting[number]; ok {
		return raw, true
	}
	raw, ok := b.writing[number]
	return raw, ok
}

// begin moves the waiting slots to the ones being written, and passes them to
// write in runs of adjacent slots, each with the number of its first slot. Only
// the leader of a sync calls it, and calls end when the runs are written.
func (b *backlog) begin(write func(first uint64, run []byte) error) error {
	b.mu.Lock()
	b.waiting, b.writing = b.writing, b.waiting
	b.numbers = b.numbers[:0]
	for number := range b.writing {
		b.numbers = append(b.numbers, number)
	}
	b.mu.Unlock()
	slices.Sort(b.numbers)
	var run []byte
	for i, number := range b.numbers {
		raw := b.writing[number]
		run = append(run, raw[:]...)
		if i+1 < len(b.numbers) && b.numbers[i+1] == number+1 {
			continue
		}
		if err := write(number+1-uint64(len(run)/slotSize), run); err != nil {
			return err
		}
		run = run[:0]
	}
	return nil
}

// end discards the slots being written: the file has them now.
func (b *backlog) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.writing)
}
