package seal

import (
	"crypto/cipher"
	"crypto/sha256"
)

// SealMetadata encrypts what a receipt must show again, so that only the
// holder of the metadata token t, together with the root key, can read it. The
// label names the field: values of two labels or two rows cannot be swapped.
// The length of plaintext stays visible; callers seal values of fixed length.
// The result belongs to the caller and differs with each call:
//
//	key = HKDF(salt K_metadata, SHA-256(token), "hush/v1 metadata" ‖ kid ‖ idx ‖ label)
//	nonce (12) ‖ AES-256-GCM(key, plaintext) ‖ tag (16)
//
// with {"hush/v1 metadata", label, row}, each behind its length, as additional
// data, and the root key's name in front; see keySet.named.
func (k *Keys) SealMetadata(t Token, row RowKey, label string, plaintext []byte) []byte {
	set := k.state.set.Load()
	size := UnpaddedSize(len(plaintext))
	aad := metadataAAD(row, label, size)
	box := newBox(aad, size)
	copy(box[nonceSize:], plaintext)
	return set.named(sealBox(set.current.metadataAEAD(t, row, label), box, aad))
}

// OpenMetadata returns the plaintext of a result of SealMetadata with a root
// key that k has, the same token, row and label, and ErrSealBroken for everything else. The
// caller owns the plaintext; sealed is left as it was.
func (k *Keys) OpenMetadata(t Token, row RowKey, label string, sealed []byte) ([]byte, error) {
	return k.state.set.Load().open(sealed, func(key *derived, box []byte) ([]byte, error) {
		return openBox(key.metadataAEAD(t, row, label), box, metadataAAD(row, label, len(box)))
	})
}

func (d *derived) metadataAEAD(t Token, row RowKey, label string) cipher.AEAD {
	digest := sha256.Sum256(t.chars[:])
	info := make([]byte, 0, 64) // room for the labels that there are
	info = append(append(info, metadataDomain...), d.kid[:]...)
	info = append(append(info, row[tokenTimeSize:]...), label...)
	var key [32]byte
	derive(key[:], digest[:], d.metadata(), info)
	return newAEAD(key)
}

// metadataAAD returns the additional data of what a receipt shows, with room behind
// it.
func metadataAAD(row RowKey, label string, room int) []byte {
	aad := make([]byte, 0, 3*lengthSize+len(metadataDomain)+len(label)+len(row)+room)
	return appendPart(appendPart(appendPart(aad, metadataDomain), label), row[:])
}
