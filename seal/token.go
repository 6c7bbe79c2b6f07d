package seal

import (
	"crypto/sha256"
	"time"
)

const (
	// tokenRandomSize characters of 36 are 129 bits; with tokenTimeSize they
	// make the 31 characters that clients of this API check for.
	tokenRandomSize = 25
	tokenTimeSize   = 6
	tokenSize       = tokenRandomSize + tokenTimeSize
	tokenAlphabet   = "0123456789abcdefghijklmnopqrstuvwxyz"
	// tokenTimeSpan is 36^6 milliseconds: the time component repeats after 25
	// days and 4 hours.
	tokenTimeSpan = 36 * 36 * 36 * 36 * 36 * 36
	// shortSizeMax is how much of a token may be shown to distinguish it from
	// others.
	shortSizeMax = 8
	indexSize    = 16
)

// Token is a secret key or a metadata key, as in links: 31 characters of
// [0-9a-z]. It is the right to open, so it prints as [redacted], and only
// Expose reveals it. Tokens are comparable; tokens from callers are looked up
// by RowKey, never compared.
//
//	25 characters, uniformly random ‖ 6 characters, creation time
//
// The time is milliseconds since 1970 modulo 36^6 in base 36, padded with
// zeros. It keeps records of the same time together in the database and reveals
// nothing that the record does not. Make tokens with NewToken or ParseToken;
// the zero Token is invalid.
type Token struct {
	redacted
	chars [tokenSize]byte
}

// NewToken generates a token for something created at the given time.
func NewToken(created time.Time) Token {
	var t Token
	draw(t.chars[:tokenRandomSize], tokenAlphabet)
	ms := created.UnixMilli() % tokenTimeSpan
	if ms < 0 { // before 1970
		ms += tokenTimeSpan
	}
	for i := tokenSize - 1; i >= tokenRandomSize; i-- {
		t.chars[i] = tokenAlphabet[ms%int64(len(tokenAlphabet))]
		ms /= int64(len(tokenAlphabet))
	}
	return t
}

// ParseToken parses a token. It returns false unless s is exactly 31 characters
// of [0-9a-z]; a token has no second spelling.
func ParseToken(s string) (Token, bool) {
	if len(s) != tokenSize {
		return Token{}, false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return Token{}, false
		}
	}
	return Token{chars: [tokenSize]byte([]byte(s))}, true
}

// Expose returns the 31 characters, for the code that sends them.
func (t Token) Expose() string { return string(t.chars[:]) }

// Short returns the first n characters, by which people distinguish tokens. It
// returns at most 8, and none for a negative n; the other characters still have
// 87 bits.
func (t Token) Short(n int) string {
	return string(t.chars[:min(max(n, 0), shortSizeMax)])
}

// TokenKind is the kind of a token. Its value is the name under which the token
// is hashed, so that a token has unrelated rows for each kind.
type TokenKind string

// The kinds of token.
const (
	// KindSecret is the kind of secret keys.
	KindSecret TokenKind = "hush/v1 secret-index\x00"
	// KindMetadata is the kind of metadata keys.
	KindMetadata TokenKind = "hush/v1 metadata-index\x00"
	// KindVerify is the kind of tokens that confirm a new account's address.
	KindVerify TokenKind = "hush/v1 verify-index\x00"
	// KindReset is the kind of tokens that set a new password.
	KindReset TokenKind = "hush/v1 reset-index\x00"
	// KindAddress is the kind of tokens that confirm an account's new address.
	KindAddress TokenKind = "hush/v1 address-index\x00"
	// KindInvite is the kind of tokens that allow a sign-up.
	KindInvite TokenKind = "hush/v1 invite-index\x00"
	// KindRequest is the kind of the keys in the links of requests.
	KindRequest TokenKind = "hush/v1 request-index\x00"
	// KindCollect is the kind of the keys in collect links.
	KindCollect TokenKind = "hush/v1 collect-index\x00"
)

// RowKey is the database key of the record that a token opens:
//
//	6 characters, creation time ‖ idx = SHA-256(kind ‖ token)[:16]
//
// A row key cannot be turned back into its token, so the database contains no
// links.
type RowKey [tokenTimeSize + indexSize]byte

// RowKey returns the row key of the token as one of the given kind.
func (t Token) RowKey(kind TokenKind) RowKey {
	var message [64]byte // room for each kind's name and a token
	sum := sha256.Sum256(append(append(message[:0], kind...), t.chars[:]...))
	var row RowKey
	copy(row[:], t.chars[tokenRandomSize:])
	copy(row[tokenTimeSize:], sum[:])
	return row
}
