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
// with place as additional data.
func (k *Keys) SealMail(share [32]byte, row, plaintext []byte) []byte {
	aead, at := k.mailAEAD(share, row)
	return sealPadded(aead, padSize, at, plaintext)
}

// OpenMail returns the plaintext of a result of SealMail with the same root
// key, share and row, and ErrSealBroken for everything else. The caller owns
// the plaintext; sealed is left as it was.
func (k *Keys) OpenMail(share [32]byte, row, sealed []byte) ([]byte, error) {
	aead, at := k.mailAEAD(share, row)
	return openPadded(aead, padSize, at, sealed)
}

func (k *Keys) mailAEAD(share [32]byte, row []byte) (cipher.AEAD, []byte) {
	at := place(mailDomain, row)
	return newAEAD([32]byte(derive(share[:], k.mail(), string(at), 32))), at
}
