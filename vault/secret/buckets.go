package secret

import (
	"hush/seal"
	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/shares"
)

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

// Sealed returns what this package's bucket has of root keys.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{
		{Bucket: BucketSecret, Uses: keylist.Uses(decodeSecret, func(r *Record, _ seal.Ring, use keylist.Use) { use(keylist.SealedSecrets, r.kid) })},
	}
}
