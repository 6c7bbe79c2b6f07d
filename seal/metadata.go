package seal

import "crypto/cipher"

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
// data.
func (k *Keys) SealMetadata(t Token, row RowKey, label string, plaintext []byte) []byte {
	box := make([]byte, nonceSize+len(plaintext), nonceSize+len(plaintext)+tagSize)
	copy(box[nonceSize:], plaintext)
	return sealBox(k.metadataAEAD(t, row, label), box, metadataAAD(row, label))
}

// OpenMetadata returns the plaintext of a result of SealMetadata with the same
// root key, token, row and label, and ErrSealBroken for everything else. The
// caller owns the plaintext; sealed is left as it was.
func (k *Keys) OpenMetadata(t Token, row RowKey, label string, sealed []byte) ([]byte, error) {
	return openBox(k.metadataAEAD(t, row, label), sealed, metadataAAD(row, label))
}

func (k *Keys) metadataAEAD(t Token, row RowKey, label string) cipher.AEAD {
	digest := t.digest()
	info := metadataDomain + string(k.kid[:]) + row.index() + label
	return newAEAD([32]byte(derive(digest[:], k.metadata(), info, 32)))
}

func metadataAAD(row RowKey, label string) []byte {
	aad := make([]byte, 0, 3*lengthSize+len(metadataDomain)+len(label)+len(row))
	return appendPart(appendPart(appendPart(aad, metadataDomain), label), row[:])
}
