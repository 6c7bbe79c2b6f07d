package seal

import "encoding/binary"

const (
	// padSize is the step in which lengths of secrets are visible.
	padSize = 256
	// lengthSize is the size of the length in front of a padded plaintext.
	lengthSize = 4
)

// PaddedSize returns the length of Seal's result for a plaintext of the given
// length: nonce, padded plaintext and tag. A negative length counts as 0.
func PaddedSize(plaintext int) int {
	return nonceSize + padded(max(plaintext, 0)) + tagSize
}

// UnpaddedSize returns the length of SealUnpadded's result for a plaintext of the
// given length: nonce, plaintext and tag.
func UnpaddedSize(plaintext int) int { return nonceSize + plaintext + tagSize }

// IsPaddedSize reports whether PaddedSize returns n for some plaintext.
func IsPaddedSize(n int) bool {
	n -= nonceSize + tagSize
	return n > 0 && n%padSize == 0
}

// padded is the length of n bytes with their length and padding.
func padded(n int) int {
	return (lengthSize + n + padSize - 1) / padSize * padSize
}

// pad writes plaintext into dst, which has its padded length and is zero:
//
//	length (4 bytes, big-endian) ‖ plaintext ‖ zeros to a multiple of 256
func pad(dst, plaintext []byte) {
	binary.BigEndian.PutUint32(dst, uint32(len(plaintext)))
	copy(dst[lengthSize:], plaintext)
}

// unpad returns the plaintext within a result of pad, and whether it is one:
// each plaintext has exactly one padded form.
func unpad(box []byte) ([]byte, bool) {
	if len(box) < lengthSize {
		return nil, false
	}
	n := int64(binary.BigEndian.Uint32(box))
	if n > int64(len(box)) || padded(int(n)) != len(box) {
		return nil, false
	}
	end := lengthSize + int(n)
	for _, b := range box[end:] {
		if b != 0 {
			return nil, false
		}
	}
	return box[lengthSize:end:end], true
}
