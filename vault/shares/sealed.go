package shares

import (
	"hush/seal"
	"hush/vault/rows"
)

// Sealed returns what this package's buckets have of root keys. The key of an epoch
// is deleted when the epoch has passed, and nodes recognize it by its sealed form
// until then, so none is sealed anew.
func Sealed() []rows.Sealed {
	return []rows.Sealed{{Bucket: BucketEpoch, Uses: rows.Uses(decodeEpoch, func(r epochRecord, ring seal.Ring, use rows.Use) {
		rows.UseSealed(ring, rows.SealedEpochs, r.sealed, use)
	})}}
}
