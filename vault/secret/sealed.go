package secret

import (
	"hush/seal"
	"hush/vault/rows"
)

// Sealed returns what this package's buckets have of root keys. Only their links
// open secrets and receipts.
func Sealed() []rows.Sealed {
	return []rows.Sealed{
		{Bucket: BucketSecret, Uses: rows.Uses(decodeSecret, func(r *Record, _ seal.Ring, use rows.Use) { use(rows.SealedSecrets, r.kid) })},
		{Bucket: BucketMetadata, Uses: rows.Uses(decodeMetadata, func(r *MetadataRecord, ring seal.Ring, use rows.Use) {
			rows.UseSealed(ring, rows.SealedReceipts, r.SealedKey, use)
			rows.UseSealed(ring, rows.SealedReceipts, r.sealedMemo, use)
		})},
	}
}
