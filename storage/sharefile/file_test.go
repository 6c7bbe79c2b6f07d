package sharefile

import (
	"errors"
	"os"
	"testing"

	"hush/storage"
	"hush/storage/disk"
)

// TestDestroyOverwrites looks at the file: the share is in it, then it is not.
func TestDestroyOverwrites(t *testing.T) {
	shares, _ := openNew(t)
	share := [storage.ShareSize]byte([]byte("a share that stands out in files"))
	slot, err := shares.Put(t.Context(), share)
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	if stored := readShare(t, shares, slot); stored != share {
		t.Errorf("share in the file: got %q, want %q", stored, share)
	}
	if err := shares.Destroy(t.Context(), slot); err != nil {
		t.Fatalf("Destroy: got %v, want nil", err)
	}
	if stored := readShare(t, shares, slot); stored == share || stored == ([storage.ShareSize]byte{}) {
		t.Errorf("share in the file after Destroy: got %q, want random bytes", stored)
	}
}

// TestDestroyedSlotTakesTheLaterGeneration: a record names a later share than the file
// has, as after a file was set back. The next share of the slot must get a generation that
// no record names.
func TestDestroyedSlotTakesTheLaterGeneration(t *testing.T) {
	shares, _ := openNew(t)
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	later := storage.Slot{Number: slot.Number, Generation: slot.Generation + 5}
	if err := shares.Destroy(t.Context(), later); err != nil {
		t.Fatalf("Destroy(later generation): got %v, want nil", err)
	}
	if got, err := shares.read(slot.Number); err != nil || got.state != slotDestroyed || got.generation != later.Generation {
		t.Errorf("slot: got state %d and generation %d, %v, want it destroyed with %d", got.state, got.generation, err, later.Generation)
	}
	if err := shares.Destroy(t.Context(), slot); err != nil {
		t.Fatalf("Destroy(earlier generation): got %v, want nil", err)
	}
	if got, err := shares.read(slot.Number); err != nil || got.generation != later.Generation {
		t.Errorf("slot after an earlier one was destroyed: got generation %d, %v, want %d", got.generation, err, later.Generation)
	}
}

func readShare(t *testing.T, s *File, slot storage.Slot) [storage.ShareSize]byte {
	t.Helper()
	data, err := os.ReadFile(s.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return [storage.ShareSize]byte(data[slot.Number*SlotSize:])
}

// TestDamagedSlot: a damaged slot reads as gone, can still be overwritten, and
// is not reused, since its next generation is unknown.
func TestDamagedSlot(t *testing.T) {
	shares, _ := openNew(t)
	share := [storage.ShareSize]byte([]byte("a share that stands out in files"))
	slot, err := shares.Put(t.Context(), share)
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	if _, err := shares.file.WriteAt([]byte{0xff}, int64(slot.Number)*SlotSize+40); err != nil {
		t.Fatal(err)
	}
	if _, err := shares.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) {
		t.Errorf("Get(damaged): got %v, want %v", err, storage.ErrShareGone)
	}
	if err := shares.Destroy(t.Context(), slot); err != nil {
		t.Errorf("Destroy(damaged): got %v, want nil", err)
	}
	if stored := readShare(t, shares, slot); stored == share {
		t.Errorf("share in the file after Destroy: got %q, want random bytes", stored)
	}
	shares.Recycler().Release(slot)
	next, err := shares.Put(t.Context(), share)
	if err != nil || next.Number == slot.Number {
		t.Errorf("Put: got %v, %v, want another slot than %v", next, err, slot)
	}
}

// sizes notes the size of a file at each sync.
type sizes struct {
	disk.System

	shares *File
	t      *testing.T
	seen   []int64
}

func (w *sizes) Sync(file *os.File) error {
	info, err := file.Stat()
	w.seen = append(w.seen, info.Size())
	if _, readErr := w.shares.read(1); readErr == nil && len(w.seen) == 1 {
		if d, _ := w.shares.read(1); d.state != slotFresh {
			w.t.Errorf("first slot at the first sync: got state %d, want fresh", d.state)
		}
	}
	return err
}

// TestGrowthIsSynced: no slot is used before the file that holds it is durable.
func TestGrowthIsSynced(t *testing.T) {
	shares, _ := openNew(t)
	w := &sizes{shares: shares, t: t}
	shares.writer = w
	if _, err := shares.Put(t.Context(), [storage.ShareSize]byte{1}); err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	if len(w.seen) != 2 || w.seen[0] != growth*SlotSize {
		t.Errorf("file sizes at syncs: got %v, want twice %d", w.seen, growth*SlotSize)
	}
}
