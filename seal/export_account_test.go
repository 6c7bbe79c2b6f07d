package seal

// SealFieldPadded seals a padded field as it is, so that tests can make boxes
// that are authentic and yet malformed.
func (k *Keys) SealFieldPadded(label string, row, padded []byte) []byte {
	aead, at := k.state.set.Load().current.fieldAEAD(label, row)
	return sealBox(aead, append(make([]byte, nonceSize), padded...), at)
}

// WrapBytes wraps any bytes as WrapAccountKey wraps a key.
func (k *Keys) WrapBytes(h WrappingSecret, label, private []byte) []byte {
	aead, at := k.state.set.Load().current.wrapAEAD(h, label)
	return sealBox(aead, append(make([]byte, nonceSize), private...), at)
}

// HolderOf makes a holder of what is stored, as a thief would.
func HolderOf(secret [32]byte) WrappingSecret { return WrappingSecret{secret: hide(secret)} }

// Secret returns what a holder is, for tests that look for it in texts.
func (h WrappingSecret) Secret() [32]byte { return h.secret() }

// AccountKeyOf makes an account's key of bytes that everybody can read.
func AccountKeyOf(private [32]byte) AccountKey {
	key, _ := accountKeyOf(private[:])
	return key
}

// Proof is what a password's hash is compared by.
func (h PasswordHash) Proof() [32]byte { return h.proof() }
