package account

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"hush/vault/caller"
	"hush/vault/refusal"
)

// The limits of passwords: at least so many characters, at most so many bytes.
const (
	PasswordMin = 10
	PasswordMax = 256
)

// commonPasswords are those that guessers try first, one a line, in lower case
// and in order. Shorter ones than PasswordMin need not be named.
//
//go:embed passwords.txt
var commonPasswords string

// passwordRuns are the orders in which keys and letters lie. A password that
// follows one of them, in either direction and past its end, is no secret.
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
// long or too easy to guess. Nothing of it is cut off or folded: what passes is
// hashed byte for byte.
func checkPassword(field string, password caller.Text) error {
	text := string(password)
	switch folded := strings.ToLower(text); {
	case utf8.RuneCountInString(text) < PasswordMin:
		return &refusal.InvalidError{Field: field, Text: "must be at least 10 characters long"}
	case len(text) > PasswordMax:
		return &refusal.InvalidError{Field: field, Text: "must be at most 256 bytes long"}
	case repeats(folded) || runs(folded):
		return &refusal.InvalidError{Field: field, Text: "is a simple pattern"}
	case common(folded):
		return &refusal.InvalidError{Field: field, Text: "is one of the most common ones"}
	}
	return nil
}

// checkPasswordOf is checkPassword for the account of a canonical address,
// which is no password either.
func checkPasswordOf(field string, password caller.Text, address string) error {
	if err := checkPassword(field, password); err != nil {
		return err
	}
	local := address[:max(0, strings.LastIndexByte(address, '@'))]
	if folded := strings.ToLower(string(password)); folded == address || folded == local {
		return &refusal.InvalidError{Field: field, Text: "is the address"}
	}
	return nil
}

// common tells whether text is on the list.
func common(text string) bool {
	_, found := slices.BinarySearch(strings.Fields(commonPasswords), text)
	return found
}

// repeatedMost is the longest part whose repetition is a simple pattern.
const repeatedMost = 3

// repeats tells whether text is a short part again and again, as aaaaaaaaaa or
// abcabcabca are.
func repeats(text string) bool {
	runes := []rune(text)
	for size := 1; size <= repeatedMost; size++ {
		if len(runes) > 2*size && slices.Equal(runes[size:], runes[:len(runes)-size]) {
			return true
		}
	}
	return false
}

// runs tells whether text follows a run.
func runs(text string) bool {
	return slices.ContainsFunc(passwordRuns(), func(run string) bool {
		return follows(text, run) || follows(reversed(text), run)
	})
}

// follows tells whether each character of text stands behind the one before it
// in run, whose end its beginning follows.
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
