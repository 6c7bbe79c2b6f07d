package receipt

import (
	"hush/seal"
	"hush/vault/keylist"
	"hush/vault/passphrase"
	"hush/vault/rows"
)

// Buckets returns the buckets of this package, and that of package passphrase among
// them: the order is that of a copy.
func Buckets() []rows.Bucket {
	row := len(seal.RowKey{})
	return []rows.Bucket{
		{Name: BucketMetadata, Check: rows.CheckRow(row, decode), Version: metadataVersion},
		{Name: BucketExpiry, Check: rows.CheckIndex(8 + row)},
		passphrase.Bucket(),
		{Name: BucketEntry, Check: rows.CheckRow(0, DecodeEntry)},
		{Name: bucketTimeline, Check: rows.CheckRow(row, decodeTimeline)},
	}
}

// Sealed returns what this package's buckets have of root keys. Only the sender's keys
// open receipts.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{
		{Bucket: BucketMetadata, Uses: keylist.Uses(decode, func(r *Record, ring seal.Ring, use keylist.Use) {
			keylist.UseSealed(ring, keylist.SealedReceipts, r.sealedKey, use)
			keylist.UseSealed(ring, keylist.SealedReceipts, r.sealedMemo, use)
		})},
	}
}
