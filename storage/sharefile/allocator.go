package sharefile

import (
	"sync"
	"sync/atomic"

	"hush/storage"
)

// allocator tracks free slots, and is the Recycler of a File, which checks the rest
// before it writes a slot.
//
// Until Reclaim, the slots below old belong to an earlier process. Which of
// them are free is unknown, so none is handed out, not even a released one.
type allocator struct {
	mu sync.Mutex
	// free slots, last in first out. Generation is that of the destroyed share,
	// or 0 if any will do.
	free   []storage.Slot
	isFree bitmap

	next uint64        // the first slot that this process never handed out
	end  atomic.Uint64 // the first slot beyond the file; changed under mu

	old      uint64
	excluded bitmap         // old slots that Reclaim must not free
	early    []storage.Slot // old slots released before Reclaim
}

// take hands out a free slot. fresh reports that this process has grown the
// slot and never used it. If no slot is free, grow must add slots from end on
// and return the new end.
func (a *allocator) take(grow func(end uint64) (uint64, error)) (slot storage.Slot, fresh bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last := len(a.free) - 1; last >= 0 {
		slot := a.free[last]
		a.free = a.free[:last]
		a.isFree.clear(slot.Number)
		return slot, false, nil
	}
	if end := a.end.Load(); a.next == end {
		end, err := grow(end)
		if err != nil {
			return storage.Slot{}, false, err
		}
		a.end.Store(end)
	}
	a.next++
	return storage.Slot{Number: a.next - 1}, true, nil
}

// Release implements storage.Recycler. It ignores a slot that is already free, and one
// without a generation, which no share ever had.
func (a *allocator) Release(slots ...storage.Slot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, slot := range slots {
		if slot.Generation != 0 {
			a.takeBack(slot)
		}
	}
}

// giveBack returns an unused slot from take.
func (a *allocator) giveBack(slot storage.Slot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.takeBack(slot)
}

func (a *allocator) takeBack(slot storage.Slot) {
	if slot.Number == 0 || slot.Number >= a.next || a.isFree.has(slot.Number) {
		return
	}
	a.isFree.set(slot.Number)
	if slot.Number >= a.old {
		a.free = append(a.free, slot)
		return
	}
	a.excluded.set(slot.Number)
	a.early = append(a.early, slot)
}

// inFile reports whether the file has a slot of that number.
func (a *allocator) inFile(number uint64) bool {
	return number > 0 && number < a.end.Load()
}

// Used implements storage.Recycler.
func (a *allocator) Used(slot storage.Slot) { a.Touch(slot) }

// Touch implements storage.Recycler: it keeps an old slot from Reclaim.
func (a *allocator) Touch(slot storage.Slot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slot.Number < a.old {
		a.excluded.set(slot.Number)
	}
}

// Reclaim implements storage.Recycler. It frees the old slots that were not excluded, those
// at the end of the file that were never used among them, and those that were released
// early, and returns the number of the former.
func (a *allocator) Reclaim() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	freed := 0
	for n := uint64(1); n < a.old; n++ {
		if !a.excluded.has(n) {
			a.isFree.set(n)
			a.free = append(a.free, storage.Slot{Number: n})
			freed++
		}
	}
	a.free = append(a.free, a.early...)
	a.old, a.excluded, a.early = 0, nil, nil
	return freed
}

// bitmap is a set of slot numbers that grows as needed.
type bitmap []uint64

func (b bitmap) has(n uint64) bool {
	return n/64 < uint64(len(b)) && b[n/64]&(1<<(n%64)) != 0
}

func (b *bitmap) set(n uint64) {
	for n/64 >= uint64(len(*b)) {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitmap) clear(n uint64) {
	if n/64 < uint64(len(b)) {
		b[n/64] &^= 1 << (n % 64)
	}
}
