package seal

import "crypto/rand"

// NewShare draws the 32 random bytes without which one secret cannot be
// opened. Destroying every copy of them destroys the secret.
func NewShare() [32]byte {
	var share [32]byte
	rand.Read(share[:])
	return share
}

// KID names the root key that the keys were derived from: 4 bytes of its
// digest, stored beside what was sealed so that a later key can be told apart.
func (k *Keys) KID() [4]byte { return k.kid }
