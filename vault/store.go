package vault

import (
	"context"

	"hush/storage"
)

// store marks what the store itself could not do as ErrUnavailable, so that
// the layers above need not know of storage.
type store struct{ storage.Store }

func (s store) View(ctx context.Context, fn func(storage.Tx) error) error {
	return unavailable(s.Store.View(ctx, fn))
}

func (s store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return unavailable(s.Store.Update(ctx, fn))
}

// UpdateReserved is Update for what ends something, and what leads to that: it
// goes on when the disk is full, if the store keeps room back for it.
func (s store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	if r, ok := s.Store.(storage.Reserver); ok {
		return unavailable(r.UpdateReserved(ctx, fn))
	}
	return s.Update(ctx, fn)
}
