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
