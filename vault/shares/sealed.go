package shares

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's buckets have of root keys. The key of an epoch
// is deleted when the epoch has passed, and nodes recognize it by its sealed form
// until then, so none is sealed anew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketEpoch, Uses: keylist.Uses(decodeEpoch, func(r epochRecord, ring seal.Ring, use keylist.Use) {
		keylist.UseSealed(ring, keylist.SealedEpochs, r.sealed, use)
	})}}
}
