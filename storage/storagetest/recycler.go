package storagetest

import (
	"testing"

	"pgregory.net/rapid"

	"hush/storage"
	"hush/testtier/property"
)

// runRecycler tests the reuse of slots within the life of one process, of shares that
// have a Recycler.
func runRecycler(t *testing.T, open Opener) {
	_, shares := open(t)
	recycler := shares.Recycler()
	if recycler == nil {
		return
	}
	t.Run("released slots are used again", func(t *testing.T) { testReuse(t, shares, recycler) })
	t.Run("release of what lives is ignored", func(t *testing.T) { testReleaseLive(t, shares, recycler) })
	t.Run("model", func(t *testing.T) {
		property.Check(t, func(rt *rapid.T) { checkSlots(rt, func() storage.Shares { return shares }, false) })
	})
}

// RunRecycler tests slots across several starts. start returns a function that
// closes the shares opened before and opens the same ones again; stop closes
// them for good.
func RunRecycler(t *testing.T, start func(t *testing.T) (open func() storage.Shares, stop func())) {
	property.Check(t, func(rt *rapid.T) {
		open, stop := start(t)
		defer stop()
		checkSlots(rt, open, true)
	})
}

func testReuse(t *testing.T, s storage.Shares, r storage.Recycler) {
	highest := map[uint64]uint64{}
	reused := 0
	for range 50 {
		it := newShare()
		slot := mustPutShare(t, s, it)
		if before, seen := highest[slot.Number]; seen {
			reused++
			if slot.Generation <= before {
				t.Fatalf("Put: got %v, want a generation above %d", slot, before)
			}
		}
		highest[slot.Number] = slot.Generation
		if err := holds(t.Context(), s, slot, it); err != nil {
			t.Fatal(err)
		}
		mustDestroy(t, s, slot)
		r.Release(slot)
	}
	if reused == 0 {
		t.Errorf("50 times Put, Destroy, Release: got 50 slots, want some used again")
	}
}

// testReleaseLive: a struck row may name an older generation than the slot
// holds now. Releasing it must not free the newer share.
func testReleaseLive(t *testing.T, s storage.Shares, r storage.Recycler) {
	it := newShare()
	slot := mustPutShare(t, s, it)
	r.Release(slot, storage.Slot{Number: slot.Number, Generation: slot.Generation - 1})
	r.Release(storage.Slot{Number: slot.Number, Generation: slot.Generation + 1})
	for range 10 {
		if next := mustPutShare(t, s, newShare()); next.Number == slot.Number {
			t.Fatalf("Put: got %v, which holds a live share", next)
		}
	}
	if err := holds(t.Context(), s, slot, it); err != nil {
		t.Error(err)
	}
}

// checkSlots compares shares with a model of the slots' owners.
func checkSlots(rt *rapid.T, open func() storage.Shares, reopens bool) {
	m := &slotModel{open: open, live: map[storage.Slot]share{}, highest: map[uint64]uint64{}}
	m.start()
	actions := map[string]func(*rapid.T){
		"":              m.check,
		"put":           m.put,
		"destroy":       m.destroy,
		"destroy older": m.destroyOlder,
		"destroy again": m.destroyAgain,
		"release":       m.release,
		"forget":        m.forget,
		"reclaim":       m.reclaim,
	}
	if reopens {
		actions["reopen"] = func(*rapid.T) { m.start() }
	}
	rt.Repeat(actions)
}
