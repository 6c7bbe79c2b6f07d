package seal

import (
	"crypto/rand"
	"encoding/hex"
)

// drawSize is the number of random bytes read at once. A token takes one read:
// 32 bytes lack 25 usable ones once in 30 million times, and then it takes two.
const drawSize = 32

// draw fills dst with characters of alphabet, each independent and equally
// likely. It discards bytes from the last, incomplete multiple of the
// alphabet's length: folding them in would favour the first characters. The
// alphabet has 1 to 256 characters of one byte.
func draw(dst []byte, alphabet string) {
	limit := 256 - 256%len(alphabet)
	var random [drawSize]byte
	for n := 0; n < len(dst); {
		rand.Read(random[:])
		for _, b := range random {
			if int(b) < limit && n < len(dst) {
				dst[n] = alphabet[int(b)%len(alphabet)]
				n++
			}
		}
	}
}

// RandomHex returns random bytes as lower-case hexadecimal digits, two for each
// byte. A negative number counts as 0.
func RandomHex(bytes int) string {
	random := make([]byte, max(bytes, 0))
	rand.Read(random)
	return hex.EncodeToString(random)
}
