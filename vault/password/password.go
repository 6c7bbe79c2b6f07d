package password

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"hush/vault/caller"
	"hush/vault/refusal"
)

// The limits of passwords: minimum characters and maximum bytes.
const (
	Min = 10
	Max = 256
)

// commonPasswords are the passwords that guessers try first: one per line,
// sorted, in lower case. Passwords shorter than Min are left out.
//
//go:embed passwords.txt
var commonPasswords string

// passwordRuns returns the orders of keys and letters. A password that follows
// one of them, in either direction and past its end, is too easy to guess.
func passwordRuns() []string {
	return []string{
		"1234567890",
		"abcdefghijklmnopqrstuvwxyz",
		"qwertyuiopasdfghjklzxcvbnm",
		"qwertzuiopasdfghjklyxcvbnm",
		"azertyuiopqsdfghjklmwxcvbn",
		"qwertyuiop[]asdfghjkl;'zxcvbnm,./",
		"`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./",
		"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
		"1q2w3e4r5t6y7u8i9o0p",
		"!@#$%^&*()",
	}
}

// checkPassword returns an InvalidError for a password that is too short, too
// long or too easy to guess. It truncates and folds nothing: a valid password is
// hashed byte for byte.
func checkPassword(field string, password caller.Text) error {
	text := string(password)
	switch folded := strings.ToLower(text); {
	case utf8.RuneCountInString(text) < Min:
		return &refusal.InvalidError{Field: field, Text: "must be at least 10 characters long"}
	case len(text) > Max:
		return &refusal.InvalidError{Field: field, Text: "must be at most 256 bytes long"}
	case repeats(folded) || runs(folded):
		return &refusal.InvalidError{Field: field, Text: "is a simple pattern"}
	case common(folded):
		return &refusal.InvalidError{Field: field, Text: "is one of the most common ones"}
	}
	return nil
}

// Check returns an InvalidError for a password that checkPassword refuses, or that is
// the canonical address of its account or the local part of it.
func Check(field string, password caller.Text, address string) error {
	if err := checkPassword(field, password); err != nil {
		return err
	}
	local := address[:max(0, strings.LastIndexByte(address, '@'))]
	if folded := strings.ToLower(string(password)); folded == address || folded == local {
		return &refusal.InvalidError{Field: field, Text: "is the address"}
	}
	return nil
}

// common reports whether text is on the list.
func common(text string) bool {
	_, found := slices.BinarySearch(strings.Fields(commonPasswords), text)
	return found
}

// repeatedMost is the longest part whose repetition is a simple pattern.
const repeatedMost = 3

// repeats reports whether text is a repetition of a short part, such as
// aaaaaaaaaa or abcabcabca.
func repeats(text string) bool {
	runes := []rune(text)
	for size := 1; size <= repeatedMost; size++ {
		if len(runes) > 2*size && slices.Equal(runes[size:], runes[:len(runes)-size]) {
			return true
		}
	}
	return false
}

// runs reports whether text follows a run in either direction.
func runs(text string) bool {
	return slices.ContainsFunc(passwordRuns(), func(run string) bool {
		return follows(text, run) || follows(reversed(text), run)
	})
}

// follows reports whether each character of text follows the one before it in
// run, which wraps around at its end.
func follows(text, run string) bool {
	at := strings.IndexByte(run, text[0])
	for i := range len(text) {
		if at < 0 || text[i] != run[(at+i)%len(run)] {
			return false
		}
	}
	return true
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}
