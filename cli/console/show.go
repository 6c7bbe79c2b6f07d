package console

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns a text for a terminal: line ends and tabs stay, and every other
// character that a terminal could obey is shown as an escape, such as \x1b.
func Printable(text []byte) string {
	var shown strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&shown, `\x%02x`, text[0])
		case r == '\r' && bytes.HasPrefix(text, []byte("\r\n")): // a line end
			shown.WriteRune(r)
		case !isObeyed(r):
			shown.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&shown, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&shown, `\u%04x`, r)
		default:
			fmt.Fprintf(&shown, `\U%08x`, r)
		}
		text = text[size:]
	}
	return shown.String()
}

// EscapeJSON returns JSON that means the same, in which every character that a
// terminal could obey is escaped, but for line ends and tabs.
func EscapeJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, isObeyed) {
		return text
	}
	var escaped bytes.Buffer
	for _, r := range string(text) {
		if !isObeyed(r) {
			escaped.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&escaped, `\u%04x`, unit)
		}
	}
	return escaped.Bytes()
}

// isObeyed reports whether a terminal may obey a character instead of showing it:
// controls, what changes the direction of text, line ends that are none in a
// terminal, and other characters without a shape, except those that join letters
// and emoji.
func isObeyed(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// IsBinary reports whether bytes are not a text in UTF-8, or have a zero byte.
func IsBinary(b []byte) bool { return !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 }
