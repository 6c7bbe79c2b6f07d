package client

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hush/seal"
)

// The limits of a request, as the contract has them.
const (
	passphraseRunes = 128
	passphraseBytes = 512
	labelRunes      = 500
	labelBytes      = 2000
	groupSize       = 16
	generateLength  = 20
)

func usage(format string, args ...any) error {
	return &Error{Kind: KindUsage, Message: fmt.Sprintf(format, args...)}
}

// Normalized returns the request with its domain as servers write it. It returns
// ErrUsage for a request that no server accepts. Whether the name of a file can be
// encrypted is left to those who encrypt it.
func (r ShareRequest) Normalized() (ShareRequest, error) {
	r.Domain = NormalDomain(r.Domain)
	return r, r.check()
}

func (r ShareRequest) check() error {
	switch {
	case (r.Content == nil) == (r.Generate == nil):
		return usage("share either a content or a generated text")
	case r.Encryption < EncryptionDefault || r.Encryption > EncryptionEndToEnd:
		return usage("the kind of encryption is unknown")
	case r.Content != nil && !r.Content.IsFile && len(r.Content.Bytes) == 0:
		return usage("there is nothing to share")
	case r.TTL < 0:
		return usage("the lifetime must be longer than nothing")
	case len(r.Recipients) > 0 && r.Encryption != EncryptionServer:
		return usage("a server can mail only links that it knows: recipients need encryption by the server")
	case !utf8.ValidString(r.Label) || utf8.RuneCountInString(r.Label) > labelRunes || len(r.Label) > labelBytes:
		return usage("a label has at most %d characters", labelRunes)
	case len(r.Group) != 0 && len(r.Group) != groupSize:
		return usage("a group has %d bytes", groupSize)
	}
	if err := CheckPassphrase(r.Passphrase); err != nil {
		return err
	}
	if r.Generate != nil {
		return r.Generate.check()
	}
	if r.Encryption == EncryptionServer && (!utf8.Valid(r.Content.Bytes) || len(r.Content.Bytes) == 0) {
		return usage("a server encrypts text only, and this is not text in UTF-8")
	}
	return nil
}

// CheckPassphrase holds a passphrase against its limits, which are those of normal
// form C for both kinds. It returns ErrUsage for one that no server accepts.
func CheckPassphrase(passphrase Text) error {
	text := passphrase.Expose()
	if !utf8.ValidString(text) {
		return usage("the passphrase is not valid text")
	}
	if text = norm.NFC.String(text); utf8.RuneCountInString(text) > passphraseRunes || len(text) > passphraseBytes {
		return usage("a passphrase has at most %d characters", passphraseRunes)
	}
	return nil
}

// NormalDomain returns a domain as servers write it.
func NormalDomain(domain string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
}

// WithDefaults returns the choice with its default values.
func (g Generate) WithDefaults() Generate {
	if g.Length == 0 {
		g.Length = generateLength
	}
	if !g.Lower && !g.Upper && !g.Digits && !g.Symbols {
		g.Lower, g.Upper, g.Digits = true, true, true
	}
	return g
}

func (g Generate) check() error {
	if length := g.WithDefaults().Length; length < seal.GenerateLengthMin || length > seal.GenerateLengthMax {
		return usage("a generated text has %d to %d characters", seal.GenerateLengthMin, seal.GenerateLengthMax)
	}
	return nil
}

// Draw draws a text on this device.
func (g Generate) Draw() (string, error) {
	g = g.WithDefaults()
	text, err := seal.Generate(g.Length, seal.CharacterSets{
		Lowercase: g.Lower, Uppercase: g.Upper, Numbers: g.Digits, Symbols: g.Symbols, ExcludeAmbiguous: g.Unambiguous,
	})
	if err != nil {
		return "", usage("a generated text has 4 to 128 characters")
	}
	return text, nil
}

// AdmitRecipients returns an ErrRefused if the server sends no mail.
func (p Policy) AdmitRecipients() error {
	if !p.Mail {
		return &Error{Kind: KindRefused, Message: "the server sends no mail: leave out the recipients, and pass the link on yourself"}
	}
	return nil
}
