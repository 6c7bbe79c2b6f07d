package seal

import (
	"crypto/cipher"
	"crypto/sha256"
)

// wrapDomain precedes the label in every wrap of an account's key.
const wrapDomain = "hush/v1 account-wrap"

// WrappingSecret can unwrap an account's key. It is derived from a password's
// hash, an API token or a session id, each under its own name, and never
// stored. The zero WrappingSecret is invalid: using it panics instead of
// wrapping a key under guessable bytes.
//
//	SHA-256(name of the kind ‖ wrap half, 40 characters or 32 bytes)
type WrappingSecret struct {
	redacted
	secret hidden[[32]byte]
}

// newWrappingSecret derives a WrappingSecret. The domain ends in a zero byte
// and differs from those whose hashes are stored.
func newWrappingSecret(domain string, secret []byte) WrappingSecret {
	message := make([]byte, 0, 96) // room for each kind's name and secret
	return WrappingSecret{secret: hide(sha256.Sum256(append(append(message, domain...), secret...)))}
}

// WrapAccountKey encrypts an account's key so that only h, together with the
// root key, decrypts it. The label names the place where the result is stored;
// results of two labels cannot be swapped. The caller owns the result, which differs
// with each call:
//
//	place = {"hush/v1 account-wrap", label}, each behind its length
//	key   = HKDF(salt K_account, wrapping secret, place)
//	nonce (12) ‖ AES-256-GCM(key, private half (32)) ‖ tag (16)
//
// with place as additional data, and the root key's name in front; see
// keySet.named.
func (k *Keys) WrapAccountKey(h WrappingSecret, label []byte, key AccountKey) []byte {
	set := k.state.set.Load()
	aead, at := set.current.wrapAEAD(h, label)
	box := append(make([]byte, nonceSize), key.private()...)
	return set.named(sealBox(aead, box, at))
}

// UnwrapAccountKey returns the key in a result of WrapAccountKey with a root
// key that k has, the same wrapping secret and label, and ErrSealBroken for everything else.
func (k *Keys) UnwrapAccountKey(h WrappingSecret, label, wrapped []byte) (AccountKey, error) {
	private, err := k.state.set.Load().open(wrapped, func(key *derived, box []byte) ([]byte, error) {
		aead, at := key.wrapAEAD(h, label)
		return openBox(aead, box, at)
	})
	if err != nil {
		return AccountKey{}, err
	}
	return accountKeyOf(private)
}

func (d *derived) wrapAEAD(h WrappingSecret, label []byte) (cipher.AEAD, []byte) {
	secret, at := h.secret(), place(wrapDomain, label)
	var key [32]byte
	derive(key[:], secret[:], d.account(), at)
	return newAEAD(key), at
}
