package secret

import (
	"hush/seal"
	"hush/storage"
	"hush/vault/passphrase"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Buckets returns the buckets of this package whose records hold no shares, and that of
// package passphrase among them: the order is that of a copy.
func Buckets() []rows.Bucket {
	row := len(seal.RowKey{})
	return []rows.Bucket{
		{Name: BucketMetadata, Check: rows.CheckRow(row, decodeMetadata), Version: metadataVersion},
		{Name: BucketExpiry, Check: rows.CheckIndex(8 + row)},
		passphrase.Bucket(),
		{Name: BucketEntry, Check: rows.CheckRow(0, DecodeEntry)},
		{Name: bucketTimeline, Check: rows.CheckRow(row, decodeTimeline)},
	}
}

// Holding returns the bucket of secrets. Only their links open them.
func Holding() shares.Holding {
	return shares.Holding{
		Bucket: rows.Bucket{Name: BucketSecret, Version: secretVersion, Check: func(key, value []byte) error {
			_, _, _, err := findShare(key, value)
			return err
		}},
		Find: findShare, Move: moveShare,
	}
}

func findShare(key, value []byte) (slot storage.Slot, owner shares.Owner, ok bool, err error) {
	r, err := decodeSecret(value)
	if err == nil && len(key) != len(seal.RowKey{}) {
		err = rows.ErrDamaged
	}
	if err != nil {
		return slot, owner, false, err
	}
	return r.slot, r.shareOwner(seal.RowKey(key)), true, nil
}

func moveShare(value []byte, to storage.Slot) ([]byte, error) {
	r, err := decodeSecret(value)
	if err != nil {
		return nil, err
	}
	r.slot = to
	return r.encode(), nil
}

// ReceiptOf returns the row of the receipt of a secret's row, or rows.ErrDamaged.
func ReceiptOf(value []byte) (seal.RowKey, error) {
	r, err := decodeSecret(value)
	if err != nil {
		return seal.RowKey{}, err
	}
	return r.metadata, nil
}
