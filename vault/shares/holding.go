package shares

import (
	"context"

	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
)

// Holding is a bucket whose records hold shares.
type Holding struct {
	rows.Bucket
	// Find returns the slot of a row's share and its owner. ok is false for a
	// record without one. It returns rows.ErrDamaged if the row cannot be read.
	Find func(key, value []byte) (slot storage.Slot, owner Owner, ok bool, err error)
	// Move returns the value of a row with its share in another slot. It is for
	// rows of which Find returns ok.
	Move func(value []byte, to storage.Slot) ([]byte, error)
	// Open returns an error unless the share opens what the row seals. It is nil
	// if only a link does.
	Open func(keys *seal.Keys, key, value []byte, share [storage.ShareSize]byte) error
}

// Keep stores a share that comes from another store, masked if the backend does
// not overwrite, and returns its slot.
func (s *Shares) Keep(ctx context.Context, share [storage.ShareSize]byte, owner Owner) (storage.Slot, error) {
	if s.epochs != nil {
		mask, _, err := s.epochs.maskNew(ctx, owner)
		if err != nil {
			return storage.Slot{}, err
		}
		share = xor(share, mask)
	}
	return s.backend.Put(ctx, share)
}
