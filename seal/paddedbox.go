package seal

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
)

// sealPadded seals plaintext, which is far below 4 GiB, padded by its length
// and zeros to a multiple of step, as pad draws it:
//
//	nonce (12) ‖ AES-256-GCM(padded plaintext) ‖ tag (16)
func sealPadded(aead cipher.AEAD, step int, aad, plaintext []byte) []byte {
	padded := padTo(step, plaintext)
	box := make([]byte, nonceSize+len(padded), nonceSize+len(padded)+tagSize)
	copy(box[nonceSize:], padded)
	return sealBox(aead, box, aad)
}

// openPadded returns the plaintext of a result of sealPadded, or
// ErrSealBroken: an authentic box whose padding is not the one form that
// sealPadded gives is refused too.
func openPadded(aead cipher.AEAD, step int, aad, sealed []byte) ([]byte, error) {
	box, err := openBox(aead, sealed, aad)
	if err != nil {
		return nil, err
	}
	plaintext, ok := unpadFrom(step, box)
	if !ok {
		return nil, ErrSealBroken
	}
	return plaintext, nil
}

func padTo(step int, plaintext []byte) []byte {
	size := (lengthSize + len(plaintext) + step - 1) / step * step
	padded := make([]byte, size)
	pad(padded, plaintext)
	return padded
}

// unpadFrom returns the plaintext within a result of padTo with the same step,
// and whether it is one.
func unpadFrom(step int, box []byte) ([]byte, bool) {
	if len(box) < lengthSize {
		return nil, false
	}
	n := int64(binary.BigEndian.Uint32(box))
	end := lengthSize + n
	if end > int64(len(box)) {
		return nil, false
	}
	plaintext := box[lengthSize:end:end]
	return plaintext, bytes.Equal(box, padTo(step, plaintext))
}
