package file

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// Ended notes, in the transaction that ends the last record from which a file can be opened,
// that the file is gone: its blob is to be removed. If it was arriving, the share of its
// upload is listed for destruction, and returned for DestroyShares. It returns an error about
// damage before it writes anything.
func (f *Files) Ended(tx *rows.Tx, row seal.RowKey) (upload []storage.Slot, err error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, fmt.Errorf("secret without its file: %w", rows.ErrInconsistent)
	}
	if err != nil || r.State == StateGone {
		return nil, err
	}
	u, err := loadUpload(tx, row)
	if err != nil && !errors.Is(err, refusal.ErrNotFound) {
		return nil, err
	}
	if err := r.end(tx, row); err != nil || u == nil {
		return nil, err
	}
	return []storage.Slot{u.slot}, f.endUpload(tx, row, u)
}

// EndedUnread is Ended for a file whose record cannot be read, and whose blob is unknown: its
// upload ends, so that the sender's token opens nothing.
func (f *Files) EndedUnread(tx *rows.Tx, row seal.RowKey) (upload []storage.Slot, err error) {
	u, err := loadUpload(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []storage.Slot{u.slot}, f.endUpload(tx, row, u)
}

// end stores that a file is gone, and that its blob is to be removed.
func (r *Record) end(tx *rows.Tx, row seal.RowKey) error {
	if err := tx.Put(BucketRemoval, r.Blob[:], nil); err != nil {
		return err
	}
	r.State, r.Blob, r.Preview = StateGone, storage.BlobID{}, nil
	return r.put(tx, row)
}

// Dropped is Ended for a restored store: no share of an upload is restored. It does nothing
// for a receipt whose secret is no file, or whose file is gone.
func Dropped(tx *rows.Tx, row seal.RowKey) error {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && r.State == StateGone {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.Delete(BucketUpload, row[:]); err != nil {
		return err
	}
	return r.end(tx, row)
}

// IsKept reports whether something is left of the file of a receipt's row. It is false for a
// receipt whose secret is no file, and for a file whose record cannot be read.
func IsKept(tx *rows.Tx, row seal.RowKey) (bool, error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) || rows.IsDamage(err) {
		return false, nil
	}
	return err == nil && r.State != StateGone, err
}

// DropUpload ends an upload of a restored store, whose parts no backup has: its file is gone.
// A row that cannot be read is deleted.
func DropUpload(tx *rows.Tx, key []byte, _ time.Time) error {
	if len(key) == len(seal.RowKey{}) {
		if err := Dropped(tx, seal.RowKey(key)); err != nil && !rows.IsDamage(err) {
			return err
		}
	}
	return tx.Delete(BucketUpload, key)
}

// IsLost reports whether the file of a receipt's row cannot be fetched: it is not whole, or
// its blob is missing, damaged or that of another file. Nil blobs mean that there are none.
func IsLost(tx *rows.Tx, row seal.RowKey, blobs storage.BlobViewer) (bool, error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) || rows.IsDamage(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if r.State != StateWhole || blobs == nil {
		return true, nil
	}
	size, partSize, err := blobs.Look(r.Blob)
	return err != nil || size != stored(r.Size) || partSize != storedSize, nil
}

// Live counts the files whose contents are kept. A row that cannot be read is not counted.
func Live(tx *rows.Tx) (live int64, err error) {
	err = tx.Range(BucketFile, nil, nil, func(_, value []byte) error {
		if r, err := decode(value); err == nil && r.State != StateGone {
			live++
		}
		return nil
	})
	return live, err
}

// Forget deletes what is known of the file of a receipt that is forgotten. It does nothing
// for another secret.
func Forget(tx *rows.Tx, row seal.RowKey) error { return tx.Delete(BucketFile, row[:]) }

// DestroyShares overwrites shares of uploads that have durably ended.
func (f *Files) DestroyShares(ctx context.Context, slots ...storage.Slot) error {
	if len(slots) == 0 {
		return nil
	}
	return f.shares.Destroy(ctx, spent.KindNone, slots...)
}

// CheckIdle returns ErrNotFound unless an upload arrives to which no part has come since a
// time.
func CheckIdle(tx *rows.Tx, row seal.RowKey, since time.Time) error {
	u, err := loadUpload(tx, row)
	if err == nil && !u.Last.Before(since) {
		err = refusal.ErrNotFound
	}
	return err
}

// Idle returns the receipts' rows of the uploads to which no part has come since a time.
func (f *Files) Idle(ctx context.Context, since time.Time) (idle []seal.RowKey, err error) {
	err = f.store.View(ctx, func(tx *rows.Tx) error {
		idle = nil
		return tx.Range(BucketUpload, nil, nil, func(key, value []byte) error {
			u, err := decodeUpload(value)
			if err == nil && len(key) == len(seal.RowKey{}) && u.Last.Before(since) {
				idle = append(idle, seal.RowKey(key))
			}
			return nil
		})
	})
	return idle, err
}
