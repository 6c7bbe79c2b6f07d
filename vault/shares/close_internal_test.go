package shares

import (
	"context"
	"errors"
	"sync"
	"testing"

	"hush/storage"
	"hush/storage/memory"
)

// keeper keeps the slots that were put, of shares whose slots are not reused.
type keeper struct {
	storage.Shares

	mu    sync.Mutex
	slots []storage.Slot
}

func (k *keeper) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	slot, err := k.Shares.Put(ctx, share)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.slots = append(k.slots, slot)
	return slot, err
}

func (k *keeper) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, k, shares)
}

func (*keeper) Recycler() storage.Recycler { return nil }

// A node that stops leaves no share that nothing will use, and keeps those that
// were taken.
func TestCloseDestroysWhatIsReady(t *testing.T) {
	t.Parallel()
	_, backend := memory.New()
	plain := &keeper{Shares: backend}
	s := &Shares{backend: plain, pool: newSharePool(plain)}
	if err := s.pool.writeBatch(t.Context()); err != nil {
		t.Fatal(err)
	}
	taken, err := s.Take(t.Context(), Owner{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, slot := range plain.slots {
		switch _, err := plain.Get(t.Context(), slot); {
		case err == nil && slot == taken.Slot:
			kept++
		case err == nil:
			t.Errorf("Get(%v after Close): got a share, want %v", slot, storage.ErrShareGone)
		case !errors.Is(err, storage.ErrShareGone):
			t.Errorf("Get(%v after Close): got %v, want %v", slot, err, storage.ErrShareGone)
		}
	}
	if kept != 1 || len(plain.slots) != poolBatch {
		t.Errorf("after Close: got %d of %d shares, want the one that was taken of %d", kept, len(plain.slots), poolBatch)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Errorf("Close(nothing ready): got %v, want nil", err)
	}
}
