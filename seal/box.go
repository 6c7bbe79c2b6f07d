package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
)

// Sizes of AES-GCM as recommended by NIST SP 800-38D.
const (
	nonceSize = 12
	tagSize   = 16
)

// newAEAD returns AES-256-GCM. Its constructors fail only for keys of a wrong
// length, which the parameter's type rules out.
func newAEAD(key [32]byte) cipher.AEAD {
	block, _ := aes.NewCipher(key[:])
	aead, _ := cipher.NewGCM(block)
	return aead
}

// sealBox encrypts in place what follows the first nonceSize bytes of box,
// which receive a fresh nonce, and appends the tag. Nonces are random, and no
// key comes near the 2^32 values that random nonces allow.
func sealBox(aead cipher.AEAD, box, aad []byte) []byte {
	nonce := box[:nonceSize]
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, box[nonceSize:], aad)
}

// newBox returns an empty box of size bytes, without its tag, for sealBox. It lies in
// the room behind aad, of that size, which is zero.
func newBox(aad []byte, size int) []byte {
	return aad[len(aad):][: size-tagSize : size]
}

// openBox returns the plaintext of a result of sealBox, or ErrSealBroken. The
// plaintext lies behind aad if that has the room, and else in its own memory.
func openBox(aead cipher.AEAD, sealed, aad []byte) ([]byte, error) {
	if len(sealed) < nonceSize+tagSize {
		return nil, ErrSealBroken
	}
	plaintext, err := aead.Open(aad[len(aad):], sealed[:nonceSize], sealed[nonceSize:], aad)
	if err != nil {
		return nil, ErrSealBroken
	}
	return plaintext, nil
}

// appendPart appends one part of authenticated data after its length (4 bytes,
// big-endian), so that no byte can move from one part to the next.
func appendPart[T string | []byte](dst []byte, part T) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(part)))
	return append(dst, part...)
}
