package hosts

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The limits of a name in DNS (RFC 1035, 2.3.4), in bytes of ASCII.
const (
	nameSize  = 253
	labelSize = 63
)

// Canonical returns the name of a host as DNS has it: in lower case, in ASCII, and
// without a trailing dot. It reports false if text is no such name. An IP address in
// the usual form of IPv4 is a name here.
func Canonical(text string) (name string, ok bool) {
	if len(text) > 4*nameSize || !utf8.ValidString(text) {
		return "", false
	}
	name, err := idna.Lookup.ToASCII(text)
	name = strings.TrimSuffix(name, ".")
	if err != nil || len(name) > nameSize {
		return "", false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > labelSize {
			return "", false
		}
	}
	// The name must stay the same when it is parsed again.
	again, err := idna.Lookup.ToASCII(name)
	return name, err == nil && again == name
}
