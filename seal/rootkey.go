package seal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
)

const (
	rootKeySize = 32
	// minDistinctBytes is what a root key must show at least. 32 random bytes
	// show fewer than 8 different values once in 10^36 draws.
	minDistinctBytes = 8
)

// RootKey is the one secret of an installation: 32 random bytes from which
// all other keys are derived. Values come from NewRootKey and ParseRootKey;
// the zero RootKey is not a key, and using it is a fault that stops the
// program rather than one that derives guessable keys.
type RootKey struct {
	redacted
	key hidden[[]byte] // rootKeySize bytes
}

// NewRootKey draws a root key.
func NewRootKey() RootKey {
	key := make([]byte, rootKeySize)
	rand.Read(key)
	return RootKey{key: hide(key)}
}

// ParseRootKey reads what a root key file holds: 64 hexadecimal digits of
// either case, with white space allowed around them. It returns
// ErrRootKeyFormat for any other shape and ErrWeakRootKey for placeholders:
// fewer than eight different bytes, two equal halves, or bytes at one constant
// distance, such as 000102 and so on. The text remains the caller's.
func ParseRootKey(text []byte) (RootKey, error) {
	// hex's own error quotes the offending character, so it stays here.
	key, err := hex.AppendDecode(nil, bytes.TrimSpace(text))
	if err != nil || len(key) != rootKeySize {
		return RootKey{}, ErrRootKeyFormat
	}
	if isPlaceholder(key) {
		return RootKey{}, ErrWeakRootKey
	}
	return RootKey{key: hide(key)}, nil
}

// Wipe overwrites the root key. Using it afterwards is a fault, as using the
// zero RootKey is.
func (r RootKey) Wipe() { clear(r.key()) }

// Text returns the root key as its file holds it: 64 lower-case hexadecimal
// digits and a newline. The caller owns the result and keeps it out of logs.
func (r RootKey) Text() []byte {
	text := make([]byte, 0, hex.EncodedLen(rootKeySize)+1)
	return append(hex.AppendEncode(text, r.key()), '\n')
}

// isPlaceholder recognises what people type when asked for a key. Equal
// halves cover every repeated word of 1, 2, 4, 8 or 16 bytes.
func isPlaceholder(key []byte) bool {
	half := len(key) / 2
	return bytes.Equal(key[:half], key[half:]) ||
		distinctBytes(key) < minDistinctBytes ||
		constantStep(key)
}

func distinctBytes(b []byte) int {
	var seen [256]bool
	count := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			count++
		}
	}
	return count
}

func constantStep(b []byte) bool {
	for i := 2; i < len(b); i++ {
		if b[i]-b[i-1] != b[1]-b[0] {
			return false
		}
	}
	return true
}
