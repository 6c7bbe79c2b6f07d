package sharefile

import (
	"errors"
	"testing"

	"hush/storage"
)

// The slots of shares in use show what is in them, and a share is the one of now.
func TestServedSlots(t *testing.T) {
	t.Parallel()
	shares, _ := openNew(t)
	kept, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	ended, err := shares.Put(t.Context(), [storage.ShareSize]byte{2})
	if err != nil {
		t.Fatal(err)
	}
	if err := shares.Destroy(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	table, err := shares.Slots(t.Context())
	if err != nil || table.Count() <= ended.Number {
		t.Fatalf("Slots(): got %d slots and %v, want more than %d", table.Count(), err, ended.Number)
	}
	for slot, want := range map[storage.Slot]storage.SlotState{kept: storage.SlotLive, ended: storage.SlotDestroyed} {
		if generation, state := table.Slot(slot.Number); state != want || generation != slot.Generation {
			t.Errorf("Slot(%d): got state %v of generation %d, want %v of %d", slot.Number, state, generation, want, slot.Generation)
		}
	}
	if _, state := table.Slot(0); state != storage.SlotFresh {
		t.Errorf("Slot(0): got state %v, want none of the header", state)
	}
	if got, err := table.Get(kept); err != nil || got != [storage.ShareSize]byte{1} {
		t.Errorf("Get(kept): got %v and %v, want the share", got, err)
	}
	if _, err := table.Get(ended); !errors.Is(err, storage.ErrShareGone) {
		t.Errorf("Get(ended): got %v, want %v", err, storage.ErrShareGone)
	}
}
