package email

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hush/vault/caller"
	"hush/vault/refusal"
)

// MaxLength is the maximum bytes of an e-mail address (RFC 5321, erratum 1690).
const MaxLength = 254

// Canonical returns the one form in which an e-mail address is stored and
// looked up: trimmed, in lower case, NFC. It returns InvalidError unless text
// is a single plain address: a name or a comment is refused.
func Canonical(text caller.Text) (string, error) { return CanonicalIn("address", text) }

// CanonicalIn is Canonical for an argument with another name.
func CanonicalIn(field string, text caller.Text) (string, error) {
	address := strings.TrimSpace(string(text))
	if address == "" {
		return "", &refusal.InvalidError{Field: field, Text: "is missing"}
	}
	// Folding would repair invalid UTF-8 and yield another address.
	if !utf8.ValidString(address) {
		return "", &refusal.InvalidError{Field: field, Text: "is not an e-mail address"}
	}
	address = norm.NFC.String(strings.ToLower(norm.NFC.String(address)))
	if len(address) > MaxLength {
		return "", &refusal.InvalidError{Field: field, Text: "is longer than 254 bytes"}
	}
	if !plainAddress(address) {
		return "", &refusal.InvalidError{Field: field, Text: "is not an e-mail address"}
	}
	return address, nil
}

// plainAddress reports whether text is an address and nothing else.
func plainAddress(text string) bool {
	odd := func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == '[' || r == '"'
	}
	if strings.ContainsFunc(text, odd) {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Name == "" && parsed.Address == text
}
