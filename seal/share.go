package seal

import "crypto/rand"

// NewShare generates the 32 random bytes without which one secret cannot be
// opened. Destroying every copy of them destroys the secret.
func NewShare() [32]byte {
	var share [32]byte
	rand.Read(share[:])
	return share
}

// KID identifies the root key that the keys were derived from: 4 bytes of its
// digest, stored beside sealed values so that a later key can be distinguished.
func (k *Keys) KID() [4]byte { return k.kid }
