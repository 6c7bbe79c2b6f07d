package seal

// RootKeyOf makes a root key of bytes that ParseRootKey refuses, for vectors
// that everybody can read.
func RootKeyOf(key [32]byte) RootKey { return RootKey{key: hide(key[:])} }

// SealPadded seals a padded plaintext as it is, so that tests can make boxes
// that are authentic and yet malformed.
func (s SecretKey) SealPadded(header, padded []byte) []byte {
	box := make([]byte, nonceSize+len(padded), nonceSize+len(padded)+tagSize)
	copy(box[nonceSize:], padded)
	return sealBox(s.aead(), box, secretAAD(header, 0))
}

// The functions that the library has, too.
var (
	MAC    = mac
	Derive = derive
	Expand = expand
)
