package seal

import (
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
)

// SecretKey seals and opens one secret. It is derived from everything that
// opening requires, so one wrong part results in a different key:
//
//	PRK       = HKDF-Extract(K_secret, SHA-256(token) ‖ share ‖ passphrase)
//	K_enc ‖ V = HKDF-Expand(PRK, "hush/v1 secret" ‖ kid ‖ idx, 64)
//	verifier  = SHA-256("hush/v1 verify\0" ‖ V)
//
// It is safe for concurrent use. Make it with SecretKeys.Key; the zero
// SecretKey matches nothing that was stored and cannot seal or open.
type SecretKey struct {
	redacted
	// K_enc is held only in the expanded form inside aead, and V only as the
	// verifier, which is stored in the clear anyway.
	aead     hidden[cipher.AEAD]
	verifier [sha256.Size]byte
}

// SecretKeys derives the keys of secrets, and nothing else. It is safe for
// concurrent use. Make it with Keys.SecretKeys. Its owner can open secrets, so
// only packages vault/secret and vault/claim may use it.
type SecretKeys struct {
	redacted
	set hidden[*keySet]
}

// SecretKeys returns the derivation of the keys of secrets.
func (k *Keys) SecretKeys() SecretKeys { return SecretKeys{set: k.state.set.Load} }

// Key derives the key of one secret from its token, the row under which it is
// stored, its share, and the hash of its passphrase, which is zeros for a
// secret without one. kid names the root key: KID when the secret was made. Key
// returns ErrNoRootKey if that is not here.
func (k SecretKeys) Key(kid [4]byte, t Token, row RowKey, share, passphrase [32]byte) (SecretKey, error) {
	root := k.set().find(kid)
	if root == nil {
		return SecretKey{}, ErrNoRootKey
	}
	var ikm [96]byte
	digest := sha256.Sum256(t.chars[:])
	copy(ikm[0:], digest[:])
	copy(ikm[32:], share[:])
	copy(ikm[64:], passphrase[:])
	info := make([]byte, 0, len(secretDomain)+kidSize+indexSize)
	info = append(append(append(info, secretDomain...), kid[:]...), row[tokenTimeSize:]...)
	var okm [64]byte
	derive(okm[:], ikm[:], root.secret(), info)
	verify := make([]byte, 0, len(verifyDomain)+sha256.Size)
	return SecretKey{
		aead:     hide(newAEAD([32]byte(okm[:32]))),
		verifier: sha256.Sum256(append(append(verify, verifyDomain...), okm[32:]...)),
	}, nil
}

// Verifier returns the 32 bytes that are stored with the secret. Matches
// compares a key with them before anything is opened.
func (s SecretKey) Verifier() [32]byte { return s.verifier }

// Matches reports, in constant time, whether the stored verifier belongs to
// this key. It also binds the sealed value to the key, which AES-GCM by itself
// does not do.
func (s SecretKey) Matches(verifier [32]byte) bool {
	return subtle.ConstantTimeCompare(s.verifier[:], verifier[:]) == 1
}

// Seal encrypts plaintext, which is far below 4 GiB, and binds it to header.
// The result is PaddedSize(len(plaintext)) bytes long, belongs to the caller
// and differs with each call:
//
//	nonce (12) ‖ AES-256-GCM(K_enc, padded plaintext) ‖ tag (16)
//
// with {"hush/v1 secret", header}, each behind its length, as additional data.
func (s SecretKey) Seal(header, plaintext []byte) []byte {
	size := PaddedSize(len(plaintext))
	aad := secretAAD(header, size)
	box := newBox(aad, size)
	pad(box[nonceSize:], plaintext)
	return sealBox(s.aead(), box, aad)
}

// Open returns the plaintext of a result of Seal with the same key and the
// same header, and ErrSealBroken for everything else. The caller owns the
// plaintext; sealed is left as it was.
func (s SecretKey) Open(header, sealed []byte) ([]byte, error) {
	box, err := openBox(s.aead(), sealed, secretAAD(header, len(sealed)))
	if err != nil {
		return nil, err
	}
	plaintext, ok := unpad(box)
	if !ok {
		return nil, ErrSealBroken
	}
	return plaintext, nil
}

// SealUnpadded is Seal for a plaintext whose length says little already, because the
// sender's device padded it. The result is UnpaddedSize(len(plaintext)) bytes long.
// The header says which of the two a secret was sealed with.
func (s SecretKey) SealUnpadded(header, plaintext []byte) []byte {
	size := UnpaddedSize(len(plaintext))
	aad := secretAAD(header, size)
	box := newBox(aad, size)
	copy(box[nonceSize:], plaintext)
	return sealBox(s.aead(), box, aad)
}

// OpenUnpadded is Open for a result of SealUnpadded.
func (s SecretKey) OpenUnpadded(header, sealed []byte) ([]byte, error) {
	return openBox(s.aead(), sealed, secretAAD(header, len(sealed)))
}

// secretAAD returns the additional data of a secret, with room behind it.
func secretAAD(header []byte, room int) []byte {
	aad := make([]byte, 0, 2*lengthSize+len(secretDomain)+len(header)+room)
	return appendPart(appendPart(aad, secretDomain), header)
}
