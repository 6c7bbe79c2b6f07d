package seal

import "crypto/rand"

// NewShare generates the 32 random bytes without which one secret cannot be
// opened. Destroying every copy of them destroys the secret.
func NewShare() [32]byte {
	var share [32]byte
	rand.Read(share[:])
	return share
}
