package claim

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
	return []rows.Bucket{{Name: BucketDeadline, Check: func(key, value []byte) error {
		if _, _, ok := decodeDeadline(key, value); !ok {
			return rows.ErrDamaged
		}
		return nil
	}}}
}

// Holding returns the bucket of claims. Only their callers open them.
func Holding() shares.Holding {
	return shares.Holding{
		Bucket: rows.Bucket{Name: BucketClaim, Version: recordVersion, Check: func(key, value []byte) error {
			_, _, _, err := findShare(key, value)
			return err
		}},
		Find: findShare, Move: moveShare,
	}
}

func findShare(key, value []byte) (slot storage.Slot, owner shares.Owner, ok bool, err error) {
	r, err := decode(value)
	if err == nil && len(key) != len(seal.RowKey{}) {
		err = rows.ErrDamaged
	}
	if err != nil {
		return slot, owner, false, err
	}
	return r.slot, r.shareOwner(seal.RowKey(key)), true, nil
}

func moveShare(value []byte, to storage.Slot) ([]byte, error) {
	r, err := decode(value)
	if err != nil {
		return nil, err
	}
	r.slot = to
	return r.encode(), nil
}

// Slots returns the slots of the shares of all claims, or rows.ErrDamaged if one
// cannot be read.
func (cl *Claims) Slots(ctx context.Context) (slots []storage.Slot, err error) {
	err = cl.store.View(ctx, func(tx *rows.Tx) error {
		slots = nil
		return tx.Range(BucketClaim, nil, nil, func(_, value []byte) error {
			r, err := decode(value)
			if err == nil {
				slots = append(slots, r.slot)
			}
			return err
		})
	})
	return slots, err
}

// Range calls fn for each claim that can be read.
func Range(tx *rows.Tx, fn func(r *Record)) error {
	return tx.Range(BucketClaim, nil, nil, func(_, value []byte) error {
		if r, err := decode(value); err == nil {
			fn(r)
		}
		return nil
	})
}

// Sealed returns what this package's buckets have of root keys. Only its caller opens a
// claim, which lasts an hour at most: none is sealed anew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketClaim, Uses: keylist.Uses(decode, func(r *Record, _ seal.Ring, use keylist.Use) {
		use(keylist.SealedClaims, r.kid)
	})}}
}
