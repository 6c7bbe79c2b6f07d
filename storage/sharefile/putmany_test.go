package sharefile

import (
	"errors"
	"syscall"
	"testing"

	"hush/storage"
)

// On a full disk no slot is told of whose share is not stored, and each of them is
// free again.
func TestPutManyOnFullDisk(t *testing.T) {
	t.Parallel()
	shares, _ := openNew(t)
	mustPut(t, shares)
	next := shares.slots.next
	f := failWrites(shares)
	f.set(syscall.ENOSPC)
	slots, err := shares.PutMany(t.Context(), make([][storage.ShareSize]byte, 5))
	if !errors.Is(err, storage.ErrFull) {
		t.Errorf("PutMany(full disk): got %v, want %v", err, storage.ErrFull)
	}
	for i, slot := range slots {
		if slot != (storage.Slot{}) {
			t.Errorf("PutMany(full disk): got slot %v of share %d, want none", slot, i)
		}
	}
	f.set(nil)
	if slots, err = shares.PutMany(t.Context(), make([][storage.ShareSize]byte, 5)); err != nil {
		t.Fatalf("PutMany(room again): got %v, want nil", err)
	}
	seen := map[uint64]bool{}
	for _, slot := range slots {
		if slot.Number < next || slot.Number >= next+5 || seen[slot.Number] || onDisk(t, shares, slot.Number).generation != slot.Generation {
			t.Errorf("PutMany(room again): got slot %v, want each of the five that were free once", slot)
		}
		seen[slot.Number] = true
	}
}
