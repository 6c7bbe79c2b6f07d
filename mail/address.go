package mail

import (
	"net/mail"
	"strings"

	"hush/hosts"
)

// isAddress reports whether text is one address and nothing else: no name, no
// brackets, no comment. The parser's result must be written in the same way.
func isAddress(text string) bool {
	if len(text) > maxAddress || !isText(text) {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && (&mail.Address{Address: parsed.Address}).String() == "<"+text+">"
}

// domainOf returns the part of an address after the @.
func domainOf(address string) string {
	return address[strings.LastIndexByte(address, '@')+1:]
}

// onWire returns an address with its domain in ASCII (A-labels), as servers without
// SMTPUTF8 need it. A domain that has no such form stays as it is.
func onWire(address string) string {
	domain := domainOf(address)
	if domain == address || isASCII(domain) {
		return address
	}
	ascii, ok := hosts.Canonical(domain)
	if !ok {
		return address
	}
	return strings.TrimSuffix(address, domain) + ascii
}

func isASCII(texts ...string) bool {
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
			return false
		}
	}
	return true
}
