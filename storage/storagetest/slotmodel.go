package storagetest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"hush/storage"
)

// slotModel plays the layer above: it owns live slots, lists destroyed ones,
// and releases them later. It records every slot it ever got.
type slotModel struct {
	open     func() storage.Shares
	shares   storage.Shares
	recycler storage.Recycler

	live    map[storage.Slot]share // owned by a record
	listed  []storage.Slot         // destroyed, to be released
	dead    []storage.Slot         // every slot that was destroyed
	highest map[uint64]uint64      // generation by number

	old      map[uint64]bool // numbers from before the last start; nil after reclaim
	released map[uint64]bool // old numbers released since
}

// start opens the shares again and shreds the listed ones.
func (m *slotModel) start() {
	m.shares = m.open()
	m.recycler = m.shares.Recycler()
	m.old, m.released = map[uint64]bool{}, map[uint64]bool{}
	for number := range m.highest {
		m.old[number] = true
	}
	for _, slot := range m.listed {
		m.recycler.Touch(slot)
	}
	_ = m.shares.Destroy(context.Background(), m.listed...) // check finds what remains
}

func (m *slotModel) check(t *rapid.T) {
	for slot, want := range m.live {
		if err := holds(t.Context(), m.shares, slot, want); err != nil {
			t.Fatal(err)
		}
	}
	for _, slot := range m.dead {
		if err := gone(t.Context(), m.shares, slot); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *slotModel) put(t *rapid.T) {
	it := newShare()
	slot, err := m.shares.Put(t.Context(), it)
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	if slot.Generation <= m.highest[slot.Number] {
		t.Fatalf("Put: got %v, want a generation above %d", slot, m.highest[slot.Number])
	}
	if m.old[slot.Number] {
		t.Fatalf("Put before Reclaim: got old slot %v", slot)
	}
	for owned := range m.live {
		if owned.Number == slot.Number {
			t.Fatalf("Put: got %v, which is in use as %v", slot, owned)
		}
	}
	if slices.ContainsFunc(m.listed, func(s storage.Slot) bool { return s.Number == slot.Number }) {
		t.Fatalf("Put: got %v, which was not released", slot)
	}
	m.live[slot], m.highest[slot.Number] = it, slot.Generation
}

func (m *slotModel) destroy(t *rapid.T) {
	slot := m.pickLive(t)
	m.recycler.Touch(slot)
	m.mustDestroy(t, slot)
	delete(m.live, slot)
	m.listed = append(m.listed, slot)
	m.dead = append(m.dead, slot)
}

func (m *slotModel) destroyOlder(t *rapid.T) {
	slot := m.pickLive(t)
	m.mustDestroy(t, storage.Slot{Number: slot.Number, Generation: slot.Generation - 1})
}

func (m *slotModel) destroyAgain(t *rapid.T) {
	if len(m.listed) == 0 {
		t.Skip("nothing is listed")
	}
	m.mustDestroy(t, rapid.SampledFrom(m.listed).Draw(t, "slot"))
}

// release gives a slot back, sometimes twice.
func (m *slotModel) release(t *rapid.T) {
	if len(m.listed) == 0 {
		t.Skip("nothing is listed")
	}
	i := rapid.IntRange(0, len(m.listed)-1).Draw(t, "index")
	slot := m.listed[i]
	m.listed = slices.Delete(m.listed, i, i+1)
	m.recycler.Release(slot)
	if rapid.Bool().Draw(t, "twice") {
		m.recycler.Release(slot)
	}
	m.released[slot.Number] = true
}

// forget loses a slot, like a crash between Put and the commit of its record.
func (m *slotModel) forget(t *rapid.T) {
	delete(m.live, m.pickLive(t))
}

func (m *slotModel) reclaim(t *rapid.T) {
	keep := map[uint64]bool{}
	for slot := range m.live {
		m.recycler.Used(slot)
		keep[slot.Number] = true
	}
	for _, slot := range m.listed {
		keep[slot.Number] = true
	}
	want := 0
	for number := range m.old {
		if !keep[number] && !m.released[number] {
			want++
		}
	}
	// Unused slots may be freed together with the orphans.
	if got := m.recycler.Reclaim(); got < want {
		t.Fatalf("Reclaim: got %d, want at least %d", got, want)
	}
	if got := m.recycler.Reclaim(); got != 0 {
		t.Fatalf("Reclaim again: got %d, want 0", got)
	}
	m.old = nil
}

func (m *slotModel) mustDestroy(t *rapid.T, slots ...storage.Slot) {
	if err := m.shares.Destroy(t.Context(), slots...); err != nil {
		t.Fatalf("Destroy(%v): got %v, want nil", slots, err)
	}
}

// pickLive draws in an order that a repeated run draws in, too.
func (m *slotModel) pickLive(t *rapid.T) storage.Slot {
	if len(m.live) == 0 {
		t.Skip("nothing lives")
	}
	slots := slices.SortedFunc(maps.Keys(m.live), func(a, b storage.Slot) int {
		return cmp.Compare(a.Number, b.Number)
	})
	return rapid.SampledFrom(slots).Draw(t, "slot")
}
