package rows

import (
	"context"

	"hush/storage"
	"hush/vault/refusal"
)

// Store marks the storage's own failures as ErrUnavailable, so that the layers
// above do not depend on the storage's errors.
type Store struct {
	storage.Store
	diskSpace func() bool
}

// NewStore returns a store on a backend. diskSpace reports whether the disk may
// take more; nil means always.
func NewStore(backend storage.Store, diskSpace func() bool) Store { return Store{backend, diskSpace} }

// View runs fn in a read transaction.
func (s Store) View(ctx context.Context, fn func(storage.Tx) error) error {
	return refusal.Unavailable(s.Store.View(ctx, fn))
}

// Update runs fn in a transaction, possibly several times, and returns when it
// is durable.
func (s Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return refusal.Unavailable(s.Store.Update(ctx, fn))
}

// UpdateReserved is Update for what ends something, and for the steps that lead
// there. It succeeds on a full disk if the store holds space in reserve.
func (s Store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	if r, ok := s.Store.(storage.Reserver); ok {
		return refusal.Unavailable(r.UpdateReserved(ctx, fn))
	}
	return s.Update(ctx, fn)
}

// Prune deletes the first rows of a bucket up to the key to, at most
// SweepBatch, and returns how many.
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
