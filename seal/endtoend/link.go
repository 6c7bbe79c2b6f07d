package endtoend

import (
	"crypto/rand"
	"math/big"
	"strings"

	"hush/seal"
)

const (
	keySize      = 31 // characters of a secret key
	secretSize   = 32 // bytes
	secretDigits = 43 // 62^43 is the first power of 62 above 2^256
	alphabet     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// LinkSize is the number of characters of a link's fragment: a secret key and a
// link secret, without anything in between, so that programs that cut text at
// punctuation keep it whole.
const LinkSize = keySize + secretDigits

// LinkSecret is the part of a link that no server sees: 32 random bytes. It prints
// as [redacted]. Make it with NewLinkSecret or ParseLink; the zero LinkSecret is
// invalid, and using it panics.
type LinkSecret struct {
	seal.Redacted
	bytes seal.Hidden[[secretSize]byte]
}

// NewLinkSecret draws a link secret. It is for one content: one that is encrypted
// again, after an error too, takes another.
func NewLinkSecret() LinkSecret {
	var bytes [secretSize]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return SecretOf(bytes)
}

// SecretOf returns the link secret of bytes that a device has by other means than a
// link: derived, as those of requests, or sealed, as those of their answers.
func SecretOf(bytes [secretSize]byte) LinkSecret { return LinkSecret{bytes: seal.Hide(bytes)} }

// Expose returns the bytes of the secret, for code that derives from them or seals them.
func (s LinkSecret) Expose() [secretSize]byte { return s.bytes() }

// Link is what the fragment of an end-to-end link holds.
type Link struct {
	// Key is the secret key. The server knows it: it is all that is sent.
	Key seal.Token
	// Secret stays on the device.
	Secret LinkSecret
}

// ParseLink parses the fragment of a link, without its #. It returns
// ErrLinkIncomplete for another length than LinkSize, and ErrLink for characters
// that no link has.
func ParseLink(fragment string) (Link, error) {
	if len(fragment) != LinkSize {
		return Link{}, ErrLinkIncomplete
	}
	key, ok := seal.ParseToken(fragment[:keySize])
	bytes, fits := decode(fragment[keySize:])
	if !ok || !fits {
		return Link{}, ErrLink
	}
	return Link{Key: key, Secret: SecretOf(bytes)}, nil
}

// Expose returns the fragment, for the code that shows the link to its sender.
func (l Link) Expose() string { return l.Key.Expose() + encode(l.Secret.bytes()) }

// encode writes bytes as one number in base 62, padded with zeros.
func encode(bytes [secretSize]byte) string {
	digits := make([]byte, secretDigits)
	number, base, digit := new(big.Int).SetBytes(bytes[:]), big.NewInt(int64(len(alphabet))), new(big.Int)
	for i := len(digits) - 1; i >= 0; i-- {
		number.DivMod(number, base, digit)
		digits[i] = alphabet[digit.Int64()]
	}
	return string(digits)
}

// decode is the inverse of encode. It returns false for another character, and for
// a number that 32 bytes cannot hold: each secret has one spelling.
func decode(digits string) (bytes [secretSize]byte, ok bool) {
	number, base := new(big.Int), big.NewInt(int64(len(alphabet)))
	for _, digit := range []byte(digits) {
		value := strings.IndexByte(alphabet, digit)
		if value < 0 {
			return bytes, false
		}
		number.Mul(number, base).Add(number, big.NewInt(int64(value)))
	}
	if number.BitLen() > 8*secretSize {
		return bytes, false
	}
	number.FillBytes(bytes[:])
	return bytes, true
}
