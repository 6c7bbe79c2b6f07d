package cluster

import (
	"errors"
	"testing"

	"hush/storage"
	"hush/storage/memory"
)

// A standby that lagged is promoted, or the database is set back: the lease that a
// node works under is gone, and another node takes one with the same fence. The first
// must not write beside it.
func TestLeaseOfAnotherHolder(t *testing.T) {
	t.Parallel()
	one, two := Instance{1}, Instance{2}
	held := lease{work: WorkSweep, holder: one, fence: 5}
	for _, test := range []struct {
		stored leaseRecord
		want   error
	}{
		{leaseRecord{Holder: one, Fence: 5}, nil},
		{leaseRecord{Holder: two, Fence: 6}, ErrLeaseLost},
		{leaseRecord{Holder: two, Fence: 5}, ErrLeaseLost},
		{leaseRecord{Holder: one, Fence: 4}, ErrLeaseLost},
		{leaseRecord{Fence: 5}, ErrLeaseLost},
	} {
		store, _ := memory.New()
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			if err := tx.Put(BucketNode, WorkSweep.key(), test.stored.encode()); err != nil {
				return err
			}
			return held.check(tx)
		})
		if !errors.Is(err, test.want) {
			t.Errorf("check of fence %d of %x, with fence %d of %x stored: got %v, want %v",
				held.fence, held.holder[0], test.stored.Fence, test.stored.Holder[0], err, test.want)
		}
	}
}
