package credential

import (
	"hush/seal"
	"hush/vault/rows"
)

// Sealed returns what this package's buckets have of root keys. Only the holder of
// a wrapped key can wrap it anew.
func Sealed() []rows.Sealed {
	return []rows.Sealed{
		{Bucket: BucketPair, Uses: rows.Uses(decodePair, func(r *PairRecord, ring seal.Ring, use rows.Use) {
			rows.UseSealed(ring, rows.SealedPairs, r.wrapped, use)
		})},
		{Bucket: BucketToken, Uses: rows.Uses(decodeToken, func(r *TokenRecord, ring seal.Ring, use rows.Use) {
			rows.UseSealed(ring, rows.SealedTokens, r.Wrapped, use)
		})},
		{Bucket: BucketSession, Uses: rows.Uses(decodeSession, func(r *SessionRecord, ring seal.Ring, use rows.Use) {
			rows.UseSealed(ring, rows.SealedSessions, r.Wrapped, use)
		})},
	}
}
