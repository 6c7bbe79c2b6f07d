package people

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// maxRecipients is how many recipients one content may have.
const maxRecipients = 10

// parseRecipients splits a list at its commas, as the server does: one in a quoted name
// parts nothing.
func parseRecipients(text string) (parts []string, err error) {
	isQuoted, isEscaped := false, false
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
		switch {
		case isEscaped:
			isEscaped = false
		case r == '"':
			isQuoted = !isQuoted
		case r == '\\':
			isEscaped = isQuoted
		}
		return !isQuoted && r == ','
	}) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// distinct keeps the first of the recipients that are one for the server: each share
// mails anew.
func distinct(recipients []string) (kept []string) {
	seen := map[string]bool{}
	for _, recipient := range recipients {
		if address := addressOf(recipient); !seen[address] {
			seen[address] = true
			kept = append(kept, recipient)
		}
	}
	return kept
}

// addressOf returns the address of a recipient, with or without a name, as the server
// compares it: in lower case, and its domain as in DNS. The server decides whether it is
// one.
func addressOf(recipient string) string {
	address := recipient
	if inside, named := strings.CutSuffix(recipient, ">"); named {
		_, address, _ = strings.Cut(inside, "<")
	}
	address = norm.NFC.String(address)
	at := strings.LastIndexByte(address, '@')
	if domain, err := idna.New(idna.MapForLookup()).ToASCII(address[at+1:]); err == nil {
		address = address[:at+1] + domain
	}
	return strings.ToLower(address)
}
