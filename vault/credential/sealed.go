package credential

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's buckets have of root keys. Only the holder of
// a wrapped key can wrap it anew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{
		{Bucket: BucketPair, Uses: keylist.Uses(decodePair, func(r *PairRecord, ring seal.Ring, use keylist.Use) {
			keylist.UseSealed(ring, keylist.SealedPairs, r.wrapped, use)
		})},
		{Bucket: BucketToken, Uses: keylist.Uses(decodeToken, func(r *TokenRecord, ring seal.Ring, use keylist.Use) {
			keylist.UseSealed(ring, keylist.SealedTokens, r.Wrapped, use)
		})},
		{Bucket: BucketSession, Uses: keylist.Uses(decodeSession, func(r *SessionRecord, ring seal.Ring, use keylist.Use) {
			keylist.UseSealed(ring, keylist.SealedSessions, r.Wrapped, use)
		})},
	}
}
