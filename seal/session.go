package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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
	var id [32]byte
	if n, err := sessionEncoding().Decode(id[:], []byte(s)); err != nil || n != len(id) {
		return SessionID{}, false
	}
	return SessionID{id: hide(id)}, true
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
	message := make([]byte, 0, len(sessionDomain)+len(id))
	return sha256.Sum256(append(append(message, sessionDomain...), id[:]...))
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
	hash := mac(k.state.set.Load().index.shrimp(), id[:])
	var number [len(hash) / 4]uint32
	for i := range number {
		number[i] = binary.BigEndian.Uint32(hash[4*i:])
	}
	var digits [shrimpSize]byte
	for i := shrimpSize - 1; i >= 0; i-- {
		digits[i] = tokenAlphabet[lastDigit(&number)]
	}
	return string(digits[:])
}

// lastDigit divides a number in base 2^32, its first digit the greatest, by 36 in
// place, and returns the remainder: its last digit in base 36.
func lastDigit(number *[sha256.Size / 4]uint32) (remainder uint64) {
	const base = uint64(len(tokenAlphabet))
	for i, digit := range number {
		value := remainder<<32 | uint64(digit)
		number[i], remainder = uint32(value/base), value%base
	}
	return remainder
}
