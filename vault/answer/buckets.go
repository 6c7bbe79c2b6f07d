package answer

import (
	"hush/seal"
	"hush/vault/keylist"
	"hush/vault/rows"
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{
		{Name: BucketAnswer, Check: rows.CheckRow(refSize, decode)},
		{Name: BucketAnswers, Check: rows.CheckRow(len(seal.RowKey{}), decodeTally)},
	}
}

// Sealed returns what this package's buckets have of root keys. Only a repeat of an answer
// opens its receipt's key, so none is sealed anew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketAnswer, Uses: keylist.Uses(decode, func(r *Record, ring seal.Ring, use keylist.Use) {
		keylist.UseSealed(ring, keylist.SealedRequests, r.sealedReceipt, use)
	})}}
}
