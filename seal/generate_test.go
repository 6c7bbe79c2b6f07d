package seal_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"hush/seal"
)

const (
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	symbols = "!@#$%^&*()_+-=[]{}|;:,.<>?"
	usual   = "abcdefghjkmnpqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ23456789*$!?()"
)

// generated returns the characters of many generated secrets.
func generated(t *testing.T, count, length int, sets seal.CharacterSets) []string {
	t.Helper()
	secrets := make([]string, count)
	for i := range secrets {
		secret, err := seal.Generate(length, sets)
		if err != nil || len(secret) != length {
			t.Fatalf("Generate(%d, %+v): got %d characters, %v, want %d", length, sets, len(secret), err, length)
		}
		secrets[i] = secret
	}
	return secrets
}

func TestGenerateLength(t *testing.T) {
	for length, want := range map[int]error{
		-1: seal.ErrGenerateLength, 0: seal.ErrGenerateLength, 3: seal.ErrGenerateLength,
		4: nil, 12: nil, 128: nil, 129: seal.ErrGenerateLength, math.MaxInt: seal.ErrGenerateLength,
	} {
		got, err := seal.Generate(length, seal.CharacterSets{})
		size := length
		if want != nil {
			size = 0
		}
		if !errors.Is(err, want) || len(got) != size {
			t.Errorf("Generate(%d): got %d characters, %v, want %d, %v", length, len(got), err, size, want)
		}
	}
}

// Each choice of sets gives exactly its alphabet: nothing else, and every
// character of it, the last one included.
func TestGenerateAlphabets(t *testing.T) {
	for choice := range 32 {
		sets := seal.CharacterSets{
			Uppercase: choice&1 != 0, Lowercase: choice&2 != 0, Numbers: choice&4 != 0,
			Symbols: choice&8 != 0, ExcludeAmbiguous: choice&16 != 0,
		}
		seen := []rune(strings.Join(generated(t, 100, 128, sets), ""))
		slices.Sort(seen)
		want := []rune(wantAlphabet(choice))
		slices.Sort(want)
		if got := slices.Compact(seen); !slices.Equal(got, want) {
			t.Errorf("Generate(128, %+v): got characters %q, want %q", sets, string(got), string(want))
		}
	}
}

func wantAlphabet(choice int) string {
	alphabet := ""
	for i, set := range []string{upper, lower, digits, symbols} {
		if choice&(1<<i) != 0 {
			alphabet += set
		}
	}
	if alphabet == "" {
		alphabet = usual
	}
	if choice&16 != 0 {
		for _, c := range []string{"0", "O", "o", "1", "I", "i", "l", "L", "|"} {
			alphabet = strings.ReplaceAll(alphabet, c, "")
		}
	}
	return alphabet
}

func TestGenerateHasEachChosenSet(t *testing.T) {
	sets := seal.CharacterSets{Uppercase: true, Lowercase: true, Numbers: true, Symbols: true, ExcludeAmbiguous: true}
	for _, secret := range generated(t, 2000, 4, sets) {
		for _, set := range []string{upper, lower, digits, symbols} {
			if !strings.ContainsAny(secret, set) {
				t.Fatalf("Generate(4, all sets): got %q, want one of %q", secret, set)
			}
		}
	}
}

func TestGenerateIsUniform(t *testing.T) {
	const secrets = 1000
	counts, expected := make([]float64, len(usual)), make([]float64, len(usual))
	for _, c := range strings.Join(generated(t, secrets, 100, seal.CharacterSets{}), "") {
		counts[strings.IndexRune(usual, c)]++
	}
	for i := range expected {
		expected[i] = 100 * secrets / float64(len(usual))
	}
	wantEvenly(t, "Generate(100)", counts, expected)
}

// Among strings that have both letters and digits all are equally likely. A
// generator that puts one of each in place would give two digits in four
// characters far too often.
func TestGenerateIsUniformAmongAccepted(t *testing.T) {
	const secrets = 20_000
	counts := make([]float64, 3) // by number of digits, less one
	for _, secret := range generated(t, secrets, 4, seal.CharacterSets{Lowercase: true, Numbers: true}) {
		counts[strings.Count(strings.Map(digitToZero, secret), "0")-1]++
	}
	weights := []float64{4 * 10 * 26 * 26 * 26, 6 * 10 * 10 * 26 * 26, 4 * 10 * 10 * 10 * 26}
	total := weights[0] + weights[1] + weights[2]
	for i := range weights {
		weights[i] *= secrets / total
	}
	wantEvenly(t, "Generate(4, letters and digits)", counts, weights)
}

func digitToZero(c rune) rune {
	if strings.ContainsRune(digits, c) {
		return '0'
	}
	return c
}
