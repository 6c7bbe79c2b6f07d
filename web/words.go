package web

import (
	_ "embed"
	"strings"
)

// The client's source is the one list of words: the command line draws from it too.
//
//go:embed src/share/generate/wordlist.ts
var wordlist string

// Words returns the words that passphrases are drawn from. Their number is a power
// of two.
func Words() []string {
	_, list, _ := strings.Cut(wordlist, "`")
	list, _, _ = strings.Cut(list, "`")
	return strings.Fields(list)
}
