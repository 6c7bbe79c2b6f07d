package seal

import (
	"crypto/sha256"
	"encoding/binary"
)

// HMAC and HKDF are those of crypto/hmac and crypto/hkdf, which make some twenty
// objects for each derived key. These compute in buffers on the stack.

// macSize is the room for a message in the buffer of mac, so that no key of a
// secret or a receipt takes memory from the heap. Longer messages do.
const macSize = 192

// What HMAC combines with each eight bytes of a key.
const (
	innerPad = 0x3636363636363636
	outerPad = 0x5c5c5c5c5c5c5c5c
)

// mac returns HMAC-SHA-256 (RFC 2104) of the parts, one after the other.
func mac(key []byte, parts ...[]byte) [sha256.Size]byte {
	var block [sha256.BlockSize]byte
	if len(key) > len(block) {
		digest := sha256.Sum256(key)
		key = digest[:]
	}
	copy(block[:], key)
	inner := appendCombined(make([]byte, 0, sha256.BlockSize+macSize), &block, innerPad)
	for _, part := range parts {
		inner = append(inner, part...)
	}
	digest := sha256.Sum256(inner)
	outer := appendCombined(make([]byte, 0, sha256.BlockSize+sha256.Size), &block, outerPad)
	return sha256.Sum256(append(outer, digest[:]...))
}

// appendCombined appends a key, filled with zeros to a block, combined with pad by
// XOR.
func appendCombined(dst []byte, key *[sha256.BlockSize]byte, pad uint64) []byte {
	for i := 0; i < len(key); i += 8 {
		dst = binary.LittleEndian.AppendUint64(dst, binary.LittleEndian.Uint64(key[i:])^pad)
	}
	return dst
}

// derive fills key with HKDF-SHA-256 (RFC 5869).
func derive(key, ikm, salt, info []byte) {
	prk := mac(salt, ikm)
	expand(key, prk[:], info)
}

// expand fills key, of at most 255 times 32 bytes, with HKDF-Expand.
func expand(key, prk, info []byte) {
	var block [sha256.Size]byte
	before := block[:0]
	for n := byte(1); len(key) > 0; n++ {
		block = mac(prk, before, info, []byte{n})
		before = block[:]
		key = key[copy(key, before):]
	}
}
