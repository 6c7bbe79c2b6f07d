package seal

import (
	"crypto/cipher"
	"crypto/sha256"
)

// wrapDomain stands in front of the label in whatever wraps an account's key.
const wrapDomain = "hush/v1 account-wrap"

// WrappingSecret is what can unwrap an account's key: it is made of a password's hash,
// an API token or a session's id, each under a name of its own, and stored
// nowhere. The zero Holder is none, and using it is a fault that stops the
// call rather than one that wraps a key under guessable bytes.
//
//	SHA-256(name of the kind ‖ wrap half, 40 characters or 32 bytes)
type WrappingSecret struct {
	redacted
	secret hidden[[32]byte]
}

// newWrappingSecret makes a holder of a secret. The domain ends in a zero byte and
// differs from those whose hashes are stored.
func newWrappingSecret(domain string, secret []byte) WrappingSecret {
	return WrappingSecret{secret: hide(sha256.Sum256(append([]byte(domain), secret...)))}
}

// WrapAccountKey encrypts an account's key so that only h, together with the
// root key, gives it back. The label names the place where the result is
// stored; results of two labels cannot be swapped. The 60 bytes belong to the
// caller and differ with each call:
//
//	place = {"hush/v1 account-wrap", label}, each behind its length
//	key   = HKDF(salt K_account, holder, place)
//	nonce (12) ‖ AES-256-GCM(key, private half (32)) ‖ tag (16)
//
// with place as additional data.
func (k *Keys) WrapAccountKey(h WrappingSecret, label []byte, key AccountKey) []byte {
	aead, at := k.wrapAEAD(h, label)
	box := append(make([]byte, nonceSize), key.private()...)
	return sealBox(aead, box, at)
}

// UnwrapAccountKey returns the key within a result of WrapAccountKey with the
// same root key, holder and label, and ErrSealBroken for everything else.
func (k *Keys) UnwrapAccountKey(h WrappingSecret, label, wrapped []byte) (AccountKey, error) {
	aead, at := k.wrapAEAD(h, label)
	private, err := openBox(aead, wrapped, at)
	if err != nil {
		return AccountKey{}, err
	}
	return accountKeyOf(private)
}

func (k *Keys) wrapAEAD(h WrappingSecret, label []byte) (cipher.AEAD, []byte) {
	secret, at := h.secret(), place(wrapDomain, label)
	return newAEAD([32]byte(derive(secret[:], k.account(), string(at), 32))), at
}
