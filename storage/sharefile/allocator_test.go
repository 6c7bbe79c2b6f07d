package sharefile

import (
	"testing"

	"hush/storage"
)

// TestReclaim counts exactly, which the model over restarts cannot.
func TestReclaim(t *testing.T) {
	a := allocator{old: 6, next: 6}
	a.end.Store(8)
	grow := func(end uint64) (uint64, error) { return end + 2, nil }
	slot := func(n uint64) storage.Slot { return storage.Slot{Number: n, Generation: 1} }
	a.Used(slot(1))               // used
	a.Release(slot(2))            // released in the pass
	a.Release(slot(2))            // twice
	a.Touch(slot(3))              // touched, released afterwards
	fresh, _, err := a.take(grow) // handed out in the pass
	if err != nil || fresh.Number != 6 {
		t.Errorf("take before Reclaim: got %v, %v, want slot 6", fresh, err)
	}
	if got := a.Reclaim(); got != 2 {
		t.Errorf("Reclaim: got %d, want 2 (slots 4 and 5)", got)
	}
	a.Release(slot(3), slot(3), slot(2), slot(4), storage.Slot{}, storage.Slot{Number: 100, Generation: 1})
	got := map[uint64]int{}
	for range 6 {
		taken, _, err := a.take(grow)
		if err != nil {
			t.Fatal(err)
		}
		got[taken.Number]++
	}
	for _, want := range []uint64{2, 3, 4, 5, 7, 8} {
		if got[want] != 1 {
			t.Errorf("take: got slot %d %d times, want once (all: %v)", want, got[want], got)
		}
	}
}
