package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// shrimpSize is how many characters clients of this API know a shrimp by.
const shrimpSize = 49

// Domains of what is made of a session's id.
const (
	sessionDomain       = "hush/v1 session\x00"
	sessionHolderDomain = "hush/v1 session-holder\x00"
)

// SessionID is what a browser's cookie holds: 32 random bytes, written as 43
// characters of base64url. Only Expose gives it away. Make it with
// NewSessionID or ParseSessionID; the zero SessionID is none, and using it is
// a fault.
type SessionID struct {
	redacted
	id hidden[[32]byte]
}

// NewSessionID draws the id of a session.
func NewSessionID() SessionID {
	var id [32]byte
	rand.Read(id[:])
	return SessionID{id: hide(id)}
}

// ParseSessionID reads the id of a session. It is false for anything but what
// Expose gives: 43 characters of base64url without padding, of which the last
// has no bits left over.
func ParseSessionID(s string) (SessionID, bool) {
	// Line breaks, which the decoder skips, leave it short of 32 bytes.
	if len(s) != sessionEncoding().EncodedLen(32) {
		return SessionID{}, false
	}
	id, err := sessionEncoding().DecodeString(s)
	if err != nil || len(id) != 32 {
		return SessionID{}, false
	}
	return SessionID{id: hide([32]byte(id))}, true
}

func sessionEncoding() *base64.Encoding { return base64.RawURLEncoding.Strict() }

// Expose returns the 43 characters, for the one cookie that holds them.
func (s SessionID) Expose() string {
	id := s.id()
	return sessionEncoding().EncodeToString(id[:])
}

// Row is the database's key of the session, SHA-256("hush/v1 session\0" ‖ its
// 32 bytes), from which the id cannot be told.
func (s SessionID) Row() [32]byte {
	id := s.id()
	return sha256.Sum256(append([]byte(sessionDomain), id[:]...))
}

// WrappingSecret returns what unwraps the account's key for whoever has the session.
func (s SessionID) WrappingSecret() WrappingSecret {
	id := s.id()
	return newWrappingSecret(sessionHolderDomain, id[:])
}

// Shrimp returns the token that proves that a request of a session was meant:
// 49 characters of [0-9a-z], the same for the session's life, which tell
// nothing of its id:
//
//	HMAC(K_shrimp, 32 bytes of the id) as a big-endian number,
//	its last 49 digits in base 36
//
// The first digit of fifty is left out because it takes few values. Callers
// compare shrimps in constant time.
func (k *Keys) Shrimp(s SessionID) string {
	id := s.id()
	number := mac(k.shrimp(), id[:])
	var digits [shrimpSize]byte
	for i := shrimpSize - 1; i >= 0; i-- {
		digits[i] = tokenAlphabet[divide(number, len(tokenAlphabet))]
	}
	return string(digits[:])
}

// divide divides a big-endian number by a divisor of at most 256, in place,
// and returns the remainder.
func divide(number []byte, divisor int) int {
	remainder := 0
	for i, b := range number {
		remainder = remainder<<8 | int(b)
		number[i] = byte(remainder / divisor)
		remainder %= divisor
	}
	return remainder
}
