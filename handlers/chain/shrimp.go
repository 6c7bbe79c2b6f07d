package chain

import "crypto/rand"

const (
	shrimpLength   = 49
	shrimpAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// NewShrimp returns a random token in the form of a session's: 49 characters
// 0-9 and a-z. Clients store it and send it back; without a session it is not
// checked.
func NewShrimp() string {
	token := make([]byte, 0, shrimpLength)
	var random [2 * shrimpLength]byte
	for {
		_, _ = rand.Read(random[:]) // never returns an error
		for _, b := range random {
			if b >= 252 {
				continue // 7 × 36: the rest would favour some characters
			}
			token = append(token, shrimpAlphabet[b%36])
			if len(token) == shrimpLength {
				return string(token)
			}
		}
	}
}
