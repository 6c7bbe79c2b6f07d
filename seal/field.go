package seal

import "crypto/cipher"

const (
	fieldDomain = "hush/v1 field"
	// fieldStep is the step in which lengths of fields are visible.
	fieldStep = 32
)

// SealField encrypts a field of a record that outlives a root key's secrets,
// such as an account's address. The label names the field and row the record:
// values of two labels or two rows cannot be swapped. The result belongs to
// the caller and differs with each call:
//
//	place = {"hush/v1 field", label, row}, each behind its length
//	key   = HKDF-Expand(K_field, place)
//	nonce (12) ‖ AES-256-GCM(key, plaintext padded to a multiple of 32) ‖ tag (16)
//
// with place as additional data, and the root key's name in front; see
// keySet.named. The key stays the same when a field is
// written anew; random nonces allow that some 2^32 times.
func (k *Keys) SealField(label string, row, plaintext []byte) []byte {
	return k.state.set.Load().sealField(label, row, plaintext)
}

func (s *keySet) sealField(label string, row, plaintext []byte) []byte {
	aead, at := s.current.fieldAEAD(label, row)
	return s.named(sealPadded(aead, fieldStep, at, plaintext))
}

// OpenField returns the plaintext of a result of SealField with a root key
// that k has, the same label and row, and ErrSealBroken for everything else. The caller owns
// the plaintext; sealed is left as it was.
func (k *Keys) OpenField(label string, row, sealed []byte) ([]byte, error) {
	return k.state.set.Load().openField(label, row, sealed)
}

func (s *keySet) openField(label string, row, sealed []byte) ([]byte, error) {
	return s.open(sealed, func(key *derived, box []byte) ([]byte, error) {
		aead, at := key.fieldAEAD(label, row)
		return openPadded(aead, fieldStep, at, box)
	})
}

func (d *derived) fieldAEAD(label string, row []byte) (cipher.AEAD, []byte) {
	at := place(fieldDomain, []byte(label), row)
	var key [32]byte
	expand(key[:], d.field(), at)
	return newAEAD(key), at
}

// place names where something sealed is stored: the domain and the parts, each
// behind its length.
func place(domain string, parts ...[]byte) []byte {
	at := appendPart(nil, domain)
	for _, part := range parts {
		at = appendPart(at, part)
	}
	return at
}
