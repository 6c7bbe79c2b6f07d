package seal

import "crypto/cipher"

const mailDomain = "hush/v1 mail"

// SealMail encrypts a queued mail, which may contain a link, so that it opens
// only while its share exists: once the share is overwritten, no copy of the
// database reveals the mail. The row is where the result is stored. The result
// belongs to the caller and differs with each call:
//
//	place = {"hush/v1 mail", row}, each behind its length
//	key   = HKDF(salt K_mail, share, place)
//	nonce (12) ‖ AES-256-GCM(key, plaintext padded to a multiple of 256) ‖ tag (16)
//
// with place as additional data, and the root key's name in front; see
// keySet.named.
func (k *Keys) SealMail(share [32]byte, row, plaintext []byte) []byte {
	set := k.state.set.Load()
	aead, at := set.current.mailAEAD(share, row)
	return set.named(sealPadded(aead, padSize, at, plaintext))
}

// OpenMail returns the plaintext of a result of SealMail with a root key
// that k has, the same share and row, and ErrSealBroken for everything else. The caller owns
// the plaintext; sealed is left as it was.
func (k *Keys) OpenMail(share [32]byte, row, sealed []byte) ([]byte, error) {
	return k.state.set.Load().open(sealed, func(key *derived, box []byte) ([]byte, error) {
		aead, at := key.mailAEAD(share, row)
		return openPadded(aead, padSize, at, box)
	})
}

func (d *derived) mailAEAD(share [32]byte, row []byte) (cipher.AEAD, []byte) {
	at := place(mailDomain, row)
	var key [32]byte
	derive(key[:], share[:], d.mail(), at)
	return newAEAD(key), at
}
