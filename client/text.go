package client

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/seal"
)

// Text is a text that is not to be printed: a key, a passphrase, a token. It
// prints as [redacted]. The zero Text is empty.
type Text struct {
	seal.Redacted
	hidden seal.Hidden[string]
}

// Hide returns text as a Text.
func Hide(text string) Text { return Text{hidden: seal.Hide(text)} }

// Expose returns the text, for the code that sends it or shows it to its owner.
func (t Text) Expose() string {
	if t.hidden == nil {
		return ""
	}
	return t.hidden()
}

// IsEmpty reports whether there is no text.
func (t Text) IsEmpty() bool { return t.Expose() == "" }

const claimSize = 32

// ClaimTime is how long a server keeps the content for a claim whose reader is silent.
const ClaimTime = 120 * time.Second

// Claim binds a secret to one reader, who can ask for the content again until it
// is acknowledged. It is a credential: with the key of the secret it returns the
// content for ClaimTime. It prints as [redacted]. The zero Claim is none.
type Claim struct {
	seal.Redacted
	hidden seal.Hidden[[claimSize]byte]
}

// NewClaim draws a claim.
func NewClaim() Claim {
	var bytes [claimSize]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return Claim{hidden: seal.Hide(bytes)}
}

// ParseClaim is the inverse of Expose. It returns false for another text.
func ParseClaim(text string) (Claim, bool) {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(bytes) != claimSize {
		return Claim{}, false
	}
	return Claim{hidden: seal.Hide([claimSize]byte(bytes))}, true
}

// Expose returns the claim as text, for a file that only its owner may read.
func (c Claim) Expose() string { return base64.RawURLEncoding.EncodeToString(c.Bytes()) }

// IsNone reports whether there is no claim.
func (c Claim) IsNone() bool { return c.hidden == nil }

// Bytes returns the claim, for the code that sends it; nil for none.
func (c Claim) Bytes() []byte {
	if c.hidden == nil {
		return nil
	}
	bytes := c.hidden()
	return bytes[:]
}

// Fingerprint returns 32 bytes that name the secret of a link and reveal neither
// its key nor its link secret: SHA-256 of "hush client", the server and the key.
func (l Link) Fingerprint() [sha256.Size]byte { return fingerprint(l.Server, l.Key) }

func fingerprint(server string, key Text) [sha256.Size]byte {
	return sha256.Sum256([]byte("hush client\x00" + server + "\x00" + key.Expose()))
}

// plainMax is how much is shown of a text of others, in characters.
const plainMax = 300

// Plain returns a text of others without what controls a terminal or turns the
// direction of text, and not too long.
func Plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return utf8.RuneError
		}
		return r
	}, strings.TrimSpace(text))
	if runes := []rune(text); len(runes) > plainMax {
		text = string(runes[:plainMax]) + "…"
	}
	return strings.TrimSuffix(text, ".")
}
