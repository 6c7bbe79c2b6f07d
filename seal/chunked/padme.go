package chunked

import "math/bits"

// Padme returns the length that n bytes are padded to, by the rule Padmé, so that a
// length says little about what has it: of the lengths up to n there are about log2(n)²
// results. It is at least n, adds at most 12 %, and has the result as a fixed point. With
// E = floor(log2 n) and S = floor(log2 E) + 1 it is the next multiple of 2^(E − S). n is at
// most 2^62.
func Padme(n uint64) uint64 {
	exponent := bits.Len64(n) - 1
	if exponent < 1 {
		return n
	}
	low := exponent - bits.Len(uint(exponent))
	mask := uint64(1)<<low - 1
	return (n + mask) &^ mask
}
