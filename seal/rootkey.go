package seal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

const (
	rootKeySize = 32
	// minDistinctBytes is the minimum of distinct bytes in a root key. 32
	// random bytes have fewer than 8 distinct values once in 10^36 draws.
	minDistinctBytes = 8
)

// RootKey is the one secret of an installation: 32 random bytes from which all
// other keys are derived. Make it with NewRootKey or ParseRootKey; the zero
// RootKey is invalid, and using it panics instead of deriving guessable keys.
type RootKey struct {
	redacted
	key hidden[[]byte] // rootKeySize bytes
}

// NewRootKey generates a root key.
func NewRootKey() RootKey {
	key := make([]byte, rootKeySize)
	rand.Read(key)
	return RootKey{key: hide(key)}
}

// ParseRootKeys parses a root key file: 1 to RootKeysMost lines, each as
// ParseRootKey takes it. Empty lines do not count. It returns the errors of
// ParseRootKey, and ErrSameRootKey or ErrManyRootKeys. The caller keeps text.
func ParseRootKeys(text []byte) (roots []RootKey, err error) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		root, err := ParseRootKey(line)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(roots, func(r RootKey) bool { return r.KID() == root.KID() }) {
			return nil, ErrSameRootKey
		}
		roots = append(roots, root)
	}
	switch {
	case len(roots) == 0:
		return nil, ErrRootKeyFormat
	case len(roots) > RootKeysMost:
		return nil, ErrManyRootKeys
	}
	return roots, nil
}

// ParseRootKey parses one root key: 64 hexadecimal digits of either case,
// with optional white space around them. It returns ErrRootKeyFormat for any
// other form and ErrWeakRootKey for placeholders: fewer than eight distinct
// bytes, two equal halves, or bytes at one constant distance, such as 000102
// and so on. The caller keeps text.
func ParseRootKey(text []byte) (RootKey, error) {
	// hex's own error quotes the offending character, so it is not returned.
	key, err := hex.AppendDecode(nil, bytes.TrimSpace(text))
	if err != nil || len(key) != rootKeySize {
		return RootKey{}, ErrRootKeyFormat
	}
	if isPlaceholder(key) {
		return RootKey{}, ErrWeakRootKey
	}
	return RootKey{key: hide(key)}, nil
}

// KID names the root key: 4 bytes of its digest, which reveal nothing of it.
func (r RootKey) KID() [4]byte {
	id := sha256.Sum256(append([]byte(kidDomain), r.key()...))
	return [4]byte(id[:kidSize])
}

// Wipe overwrites the root key. Using it afterwards panics, like using the zero
// RootKey.
func (r RootKey) Wipe() { clear(r.key()) }

// Text returns the root key as in its file: 64 lower-case hexadecimal digits
// and a newline. The caller owns the result and must keep it out of logs.
func (r RootKey) Text() []byte {
	text := make([]byte, 0, hex.EncodedLen(rootKeySize)+1)
	return append(hex.AppendEncode(text, r.key()), '\n')
}

// isPlaceholder recognizes what people type when asked for a key. Equal halves
// cover every repeated word of 1, 2, 4, 8 or 16 bytes.
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
