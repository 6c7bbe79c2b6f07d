package seal

import "strings"

// linkKeySize is the length of a secret's key, and endToEndSize that of the key and
// the link secret in the link of an end-to-end encrypted secret.
const (
	linkKeySize  = 31
	endToEndSize = 74
)

// TokenIn returns the secret's key in a link as people paste it: with a query that
// a chat program added, with trailing punctuation, or with a number sign that a
// mail gateway escaped. It leaves out what follows the key in the link of an
// end-to-end encrypted secret.
func TokenIn(link string) (Token, bool) {
	link = strings.TrimSpace(link)
	for _, escaped := range []string{"%2523", "%23"} {
		link = strings.Replace(link, escaped, "#", 1)
	}
	if path, fragment, found := strings.Cut(link, "#"); found && len(fragment) >= linkKeySize {
		link = fragment
	} else {
		link, _, _ = strings.Cut(path, "?")
	}
	link = strings.TrimRight(link, "/.,;:!?)]}>'\"")
	key := link[strings.LastIndexByte(link, '/')+1:]
	if len(key) == endToEndSize {
		key = key[:linkKeySize]
	}
	return ParseToken(key)
}
