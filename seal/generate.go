package seal

import (
	"bytes"
	"strings"
)

// Lengths of generated secrets, in characters.
const (
	// GenerateLengthMin has room for one character of each set.
	GenerateLengthMin = 4
	// GenerateLengthDefault is the length if the caller asks for none.
	GenerateLengthDefault = 12
	// GenerateLengthMax is the maximum that newer servers of this API grant.
	GenerateLengthMax = 128
)

const (
	uppercaseLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowercaseLetters = "abcdefghijklmnopqrstuvwxyz"
	numberDigits     = "0123456789"
	symbolCharacters = "!@#$%^&*()_+-=[]{}|;:,.<>?"
	// ambiguousCharacters are those that people confuse.
	ambiguousCharacters = "0Oo1IiLl|"
	// defaultAlphabet is a-z, A-Z, 0-9 and *$!?() without i, l, o, 1 and 0:
	// what clients expect from generate without options.
	defaultAlphabet = "abcdefghjkmnpqrstuvwxyz" + uppercaseLetters + "23456789" + "*$!?()"
)

// CharacterSets selects the characters of a generated secret: the union of the
// selected sets, each of which occurs at least once. If no set is selected, as
// in the zero value, it is the default alphabet of letters, digits and *$!?()
// without i, l, o, 1 and 0, none of which has to occur.
type CharacterSets struct {
	// Uppercase selects A to Z.
	Uppercase bool
	// Lowercase selects a to z.
	Lowercase bool
	// Numbers selects 0 to 9.
	Numbers bool
	// Symbols selects !@#$%^&*()_+-=[]{}|;:,.<>?
	Symbols bool
	// ExcludeAmbiguous excludes 0 O o 1 I i l L | from the selected sets.
	ExcludeAmbiguous bool
}

// Generate returns a random secret of the given length in ASCII characters. All
// strings that satisfy sets are equally likely. It returns ErrGenerateLength
// for lengths outside GenerateLengthMin to GenerateLengthMax.
func Generate(length int, sets CharacterSets) (string, error) {
	if length < GenerateLengthMin || length > GenerateLengthMax {
		return "", ErrGenerateLength
	}
	chosen := sets.chosen()
	alphabet := strings.Join(chosen, "")
	if alphabet == "" {
		alphabet = sets.usable(defaultAlphabet)
	}
	candidate := make([]byte, length)
	// Candidates are rejected as a whole: putting one character of each set in
	// place would make some strings likelier than others. In the worst case,
	// four characters of four sets, one candidate in fifteen passes.
	for {
		draw(candidate, alphabet)
		if containsEach(candidate, chosen) {
			return string(candidate), nil
		}
	}
}

// chosen returns the usable characters of each selected set.
func (s CharacterSets) chosen() []string {
	var sets []string
	add := func(choose bool, characters string) {
		if choose {
			sets = append(sets, s.usable(characters))
		}
	}
	add(s.Uppercase, uppercaseLetters)
	add(s.Lowercase, lowercaseLetters)
	add(s.Numbers, numberDigits)
	add(s.Symbols, symbolCharacters)
	return sets
}

// usable returns characters without those that s excludes.
func (s CharacterSets) usable(characters string) string {
	if !s.ExcludeAmbiguous {
		return characters
	}
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(ambiguousCharacters, c) {
			return -1
		}
		return c
	}, characters)
}

func containsEach(candidate []byte, sets []string) bool {
	for _, set := range sets {
		if !bytes.ContainsAny(candidate, set) {
			return false
		}
	}
	return true
}
