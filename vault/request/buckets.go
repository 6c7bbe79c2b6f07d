package request

import (
	"hush/seal"
	"hush/vault/keylist"
	"hush/vault/rows"
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	row := len(seal.RowKey{})
	return []rows.Bucket{
		{Name: BucketRequest, Check: rows.CheckRow(row, decode)},
		{Name: BucketCollection, Check: rows.CheckRow(row, decodeCollection)},
		{Name: BucketRequests, Check: func(key, value []byte) error {
			if _, err := listedRow(key); err != nil || len(value) != 0 {
				return rows.ErrDamaged
			}
			return nil
		}},
	}
}

// Sealed returns what this package's buckets have of root keys. Only the collect key opens
// the box, so it is sealed anew when that is used; see Requests.renew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketRequest, Uses: keylist.Uses(decode, func(r *Record, ring seal.Ring, use keylist.Use) {
		keylist.UseSealed(ring, keylist.SealedRequests, r.box, use)
	})}}
}
