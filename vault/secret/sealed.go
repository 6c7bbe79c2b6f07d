package secret

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's buckets have of root keys. Only their links
// open secrets and receipts.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{
		{Bucket: BucketSecret, Uses: keylist.Uses(decodeSecret, func(r *Record, _ seal.Ring, use keylist.Use) { use(keylist.SealedSecrets, r.kid) })},
		{Bucket: BucketMetadata, Uses: keylist.Uses(decodeMetadata, func(r *MetadataRecord, ring seal.Ring, use keylist.Use) {
			keylist.UseSealed(ring, keylist.SealedReceipts, r.SealedKey, use)
			keylist.UseSealed(ring, keylist.SealedReceipts, r.sealedMemo, use)
		})},
	}
}
