package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// shrimpSize is the number of characters that clients of this API expect of a
// shrimp.
const shrimpSize = 49

// The hash domains of a session id.
const (
	sessionDomain       = "hush/v1 session\x00"
	sessionHolderDomain = "hush/v1 session-holder\x00"
)

// SessionID is the value of a session cookie: 32 random bytes, written as 43
// characters of base64url. Only Expose reveals it. Make it with NewSessionID or
// ParseSessionID; the zero SessionID is invalid, and using it panics.
type SessionID struct {
	redacted
	id hidden[[32]byte]
}

// NewSessionID generates a session id.
func NewSessionID() SessionID {
	var id [32]byte
	rand.Read(id[:])
	return SessionID{id: hide(id)}
}

// ParseSessionID parses a session id. It returns false unless s is what Expose
// returns: 43 characters of base64url without padding, the last of which has no
// spare bits.
func ParseSessionID(s string) (SessionID, bool) {
	// The decoder skips line breaks, which leave fewer than 32 bytes.
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

// Expose returns the 43 characters, for the cookie.
func (s SessionID) Expose() string {
	id := s.id()
	return sessionEncoding().EncodeToString(id[:])
}

// Row returns the session's database key, SHA-256("hush/v1 session\0" ‖ its 32
// bytes). It does not reveal the id.
func (s SessionID) Row() [32]byte {
	id := s.id()
	return sha256.Sum256(append([]byte(sessionDomain), id[:]...))
}

// WrappingSecret returns the secret that the session wraps the account's key
// with.
func (s SessionID) WrappingSecret() WrappingSecret {
	id := s.id()
	return newWrappingSecret(sessionHolderDomain, id[:])
}

// Shrimp returns the token that protects a session's requests against forgery:
// 49 characters of [0-9a-z], constant for the session's life, which do not
// reveal its id:
//
//	HMAC(K_shrimp, 32 bytes of the id) as a big-endian number,
//	its last 49 digits in base 36
//
// The first of fifty digits is left out because it has few values. Callers
// compare shrimps in constant time.
func (k *Keys) Shrimp(s SessionID) string {
	id := s.id()
	number := mac(k.state.load().index.shrimp(), id[:])
	var digits [shrimpSize]byte
	for i := shrimpSize - 1; i >= 0; i-- {
		digits[i] = tokenAlphabet[divide(number[:], len(tokenAlphabet))]
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
