package sharefile

import (
	"errors"
	"testing"

	"hush/storage"
)

func TestLive(t *testing.T) {
	shares, _ := openNew(t)
	var slots []storage.Slot
	for i := range 5 {
		slots = append(slots, put(t, shares, [storage.ShareSize]byte{byte(i)}))
	}
	if err := shares.Destroy(t.Context(), slots[1], slots[4]); err != nil {
		t.Fatal(err)
	}
	shares.Recycler().Release(slots[1], slots[4])
	reused := put(t, shares, [storage.ShareSize]byte{9})
	if err := shares.Destroy(t.Context(), reused); err != nil {
		t.Fatal(err)
	}
	got := map[storage.Slot][storage.ShareSize]byte{}
	extent, err := shares.Live(t.Context(), func(slot storage.Slot, share [storage.ShareSize]byte) error {
		got[slot] = share
		return nil
	})
	if err != nil {
		t.Fatalf("Live: got %v, want nil", err)
	}
	want := map[storage.Slot]byte{slots[0]: 0, slots[2]: 2, slots[3]: 3}
	if len(got) != len(want) {
		t.Errorf("Live: got %v, want %v", got, want)
	}
	for slot, first := range want {
		if share, ok := got[slot]; !ok || share[0] != first {
			t.Errorf("Live: got %v, %v for %v, want its share", share, ok, slot)
		}
	}
	if want := (Extent{Slots: 16384, Generation: reused.Generation}); extent != want || reused.Generation < 2 {
		t.Errorf("Live: got %+v, want %+v", extent, want)
	}
	if err := shares.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
	if _, err := shares.Live(t.Context(), nil); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Live(closed): got %v, want %v", err, storage.ErrClosed)
	}
}
