package rows

import (
	"context"

	"hush/storage"
	"hush/vault/refusal"
)

// Store marks what the store itself could not do as ErrUnavailable, so that
// the layers above need not know of storage.
type Store struct {
	storage.Store
	diskSpace func() bool
}

// NewStore returns the store in a backend. room reports whether the disk may
// take more; nil means always.
func NewStore(backend storage.Store, diskSpace func() bool) Store { return Store{backend, diskSpace} }

// View runs fn in a transaction that changes nothing.
func (s Store) View(ctx context.Context, fn func(storage.Tx) error) error {
	return refusal.Unavailable(s.Store.View(ctx, fn))
}

// Update runs fn in a transaction, once or more, and returns when it is durable.
func (s Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return refusal.Unavailable(s.Store.Update(ctx, fn))
}

// UpdateReserved is Update for what ends something, and what leads to that: it
// goes on when the disk is full, if the store keeps room back for it.
func (s Store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	if r, ok := s.Store.(storage.Reserver); ok {
		return refusal.Unavailable(r.UpdateReserved(ctx, fn))
	}
	return s.Update(ctx, fn)
}

// Prune deletes rows of a bucket from its begin up to a key, at most
// SweepBatch of them, and returns how many.
func (s Store) Prune(ctx context.Context, bucket string, to []byte) (n int, err error) {
	err = s.UpdateReserved(ctx, func(tx storage.Tx) error {
		keys, err := FirstKeys(tx, bucket, to, SweepBatch)
		if n = len(keys); err != nil {
			return err
		}
		return DeleteAll(tx, bucket, keys)
	})
	return n, err
}

// CheckDiskSpace returns ErrUnavailable while the disk may not take more.
func (s Store) CheckDiskSpace() error {
	if s.diskSpace != nil && !s.diskSpace() {
		return refusal.Unavailable(storage.ErrFull)
	}
	return nil
}
