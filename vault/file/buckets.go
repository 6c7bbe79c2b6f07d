package file

import (
	"context"

	"hush/seal"
	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Buckets returns the buckets of this package whose records hold no shares.
func Buckets() []rows.Bucket {
	return []rows.Bucket{
		{Name: BucketFile, Check: rows.CheckRow(len(seal.RowKey{}), decode)},
		{Name: BucketPart, Check: rows.CheckRow(partKeySize, decodePart)},
		{Name: BucketRemoval, Check: func(key, value []byte) error {
			if len(key) != len(storage.BlobID{}) || len(value) != 0 {
				return rows.ErrDamaged
			}
			return nil
		}},
	}
}

// Holding returns the bucket of uploads. Only their senders open them.
func Holding() shares.Holding {
	return shares.Holding{
		Bucket: rows.Bucket{Name: BucketUpload, Version: uploadVersion, Check: func(key, value []byte) error {
			_, _, _, err := findShare(key, value)
			return err
		}},
		Find: findShare, Move: moveShare,
	}
}

func findShare(key, value []byte) (slot storage.Slot, owner shares.Owner, ok bool, err error) {
	u, err := decodeUpload(value)
	if err == nil && len(key) != len(seal.RowKey{}) {
		err = rows.ErrDamaged
	}
	if err != nil {
		return slot, owner, false, err
	}
	return u.slot, u.shareOwner(seal.RowKey(key)), true, nil
}

func moveShare(value []byte, to storage.Slot) ([]byte, error) {
	u, err := decodeUpload(value)
	if err != nil {
		return nil, err
	}
	u.slot = to
	return u.encode(), nil
}

// Sealed returns what this package's buckets have of root keys. Only its sender opens an
// upload, which ends with its secret: none is sealed anew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketUpload, Uses: keylist.Uses(decodeUpload, func(u *Upload, ring seal.Ring, use keylist.Use) {
		keylist.UseSealed(ring, keylist.SealedUploads, u.sealedKey, use)
	})}}
}

// Slots returns the slots of the shares of all uploads, or rows.ErrDamaged if one cannot be
// read.
func (f *Files) Slots(ctx context.Context) (slots []storage.Slot, err error) {
	err = f.store.View(ctx, func(tx *rows.Tx) error {
		slots = nil
		return tx.Range(BucketUpload, nil, nil, func(_, value []byte) error {
			u, err := decodeUpload(value)
			if err == nil {
				slots = append(slots, u.slot)
			}
			return err
		})
	})
	return slots, err
}
