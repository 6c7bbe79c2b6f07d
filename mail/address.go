package mail

import (
	"net/mail"
	"strings"
)

// isAddress tells whether text is one address and nothing else: no name, no
// brackets, no comment. What the parser makes of it has to be written the same
// again.
func isAddress(text string) bool {
	if len(text) > maxAddress || !isText(text) {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && (&mail.Address{Address: parsed.Address}).String() == "<"+text+">"
}

// domainOf returns what follows the @ of an address.
func domainOf(address string) string {
	return address[strings.LastIndexByte(address, '@')+1:]
}

func isASCII(texts ...string) bool {
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
			return false
		}
	}
	return true
}
