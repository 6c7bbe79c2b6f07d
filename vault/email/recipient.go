package email

import (
	"fmt"
	"io"
	"iter"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"hush/vault/caller"
	"hush/vault/refusal"
)

const (
	// RecipientsLimit is the maximum number of recipients of one secret.
	RecipientsLimit = 10
	// addressLimit and localLimit are the maximum bytes that mail servers must
	// accept for an address and for its part before the @.
	addressLimit = 254
	localLimit   = 64
	// namedLimit is the maximum bytes of an address with a name before it.
	namedLimit = 512
)

// RecipientError has an address that mail cannot be sent to, as the caller gave
// it. It is ErrInvalid, and legacy clients show its text: it is for the caller
// and must not be logged.
type RecipientError struct{ Address caller.Text }

func (e *RecipientError) Error() string {
	return "Undeliverable email address: " + strings.ToValidUTF8(string(e.Address), "\uFFFD")
}
func (e *RecipientError) Is(target error) bool { return target == refusal.ErrInvalid }

// Recipient is a recipient of a link. Address is the form for mail servers;
// Obscured is the form that may be shown and stored.
type Recipient struct {
	Address  caller.Text
	Obscured string
}

// Format writes the obscured form for every verb.
func (r Recipient) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, r.Obscured) }

// ParseRecipients parses addresses, bare or with a name as in Ada
// <ada@example.com>. An element may hold several, separated by commas. Empty
// ones are left out, and of addresses that differ only in case the first is
// kept. It returns a RecipientError for text without an address and an
// InvalidError for too many.
func ParseRecipients(list []string) ([]Recipient, error) {
	var found []Recipient
	seen := map[string]bool{}
	for _, element := range list {
		for text := range splitAddresses(element) {
			if text = strings.Trim(text, " "); text == "" {
				continue
			}
			r, ok := parseRecipient(text)
			if !ok {
				return nil, &RecipientError{Address: caller.Text(text)}
			}
			if key := strings.ToLower(string(r.Address)); !seen[key] {
				seen[key] = true
				found = append(found, r)
			}
		}
	}
	if len(found) > RecipientsLimit {
		return nil, &refusal.InvalidError{Field: "recipients", Text: fmt.Sprintf("must be at most %d", RecipientsLimit)}
	}
	return found, nil
}

// splitAddresses splits a list at its commas, except those in a quoted name.
func splitAddresses(list string) iter.Seq[string] {
	var q quotes
	return strings.FieldsFuncSeq(list, func(r rune) bool { return !q.hold(r) && r == ',' })
}

// quotes tracks the quotation marks of a text.
type quotes struct{ open, escaped bool }

// hold takes the next character and reports whether it is quoted.
func (q *quotes) hold(r rune) bool {
	switch {
	case q.escaped:
		q.escaped = false
	case r == '"':
		q.open = !q.open
	case r == '\\':
		q.escaped = q.open
	}
	return q.open
}

// isName reports whether text may precede an address in angle brackets. An
// unclosed quote may have swallowed another address.
func isName(text string) bool {
	var q quotes
	for _, r := range text {
		q.hold(r)
	}
	return !q.open && !strings.ContainsAny(text, "<>")
}

// parseRecipient parses one address, bare or in angle brackets after a name. It
// ignores the name. It refuses an address that needs quotes or brackets itself,
// has no domain, or cannot be printed: people do not type such addresses, and
// mail servers differ in how they treat them.
func parseRecipient(text string) (Recipient, bool) {
	if len(text) > namedLimit || !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable) {
		return Recipient{}, false
	}
	if inside, named := strings.CutSuffix(text, ">"); named {
		name, address, found := strings.Cut(inside, "<")
		if !found || !isName(name) {
			return Recipient{}, false
		}
		text = address
	}
	return parseAddress(norm.NFC.String(text))
}

func parseAddress(text string) (Recipient, bool) {
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Name != "" || parsed.Address != text {
		return Recipient{}, false
	}
	at := strings.LastIndexByte(text, '@')
	local := text[:at]
	domain, ok := mailDomain(text[at+1:])
	address := local + "@" + domain
	if !ok || len(local) > localLimit || len(address) > addressLimit {
		return Recipient{}, false
	}
	return Recipient{Address: caller.Text(address), Obscured: obscure(local, domain)}, true
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// mailDomain returns a domain in its DNS form. It refuses a domain without a
// dot, or with a numeric last label: mail cannot be routed to it.
func mailDomain(name string) (string, bool) {
	ascii, err := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true)).ToASCII(name)
	if err != nil {
		return "", false
	}
	last := ascii[strings.LastIndexByte(ascii, '.')+1:]
	return ascii, last != ascii && strings.Trim(last, "0123456789") != ""
}

// obscure shows just enough of an address for its sender to recognize it: one
// or two characters, one of the domain, and the last label. domain is in the
// form of mailDomain.
func obscure(local, domain string) string {
	if shown, err := idna.New().ToUnicode(domain); err == nil {
		domain = shown
	}
	return firstOf(local, 2) + "*****@" + firstOf(domain, 1) + "*****" + domain[strings.LastIndexByte(domain, '.'):]
}

// firstOf returns the first n characters of text, or all of it.
func firstOf(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}
