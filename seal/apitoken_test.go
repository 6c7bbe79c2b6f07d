package seal_test

import (
	"strings"
	"testing"

	"hush/seal"
)

func TestNewAPIToken(t *testing.T) {
	first, second := seal.NewAPIToken().Expose(), seal.NewAPIToken().Expose()
	if first == second {
		t.Error("NewAPIToken(): got the same token twice, want two")
	}
	if _, ok := seal.ParseAPIToken(first); !ok {
		t.Errorf("ParseAPIToken(NewAPIToken()): got false for %d characters, want true", len(first))
	}
}

func TestParseAPIToken(t *testing.T) {
	good := "0f9a" + sampleAPIToken[4:]
	for text, want := range map[string]bool{
		good:                           true,
		strings.Repeat("0", 40):        true,
		strings.Repeat("f", 40):        true,
		"":                             false,
		good[1:]:                       false,
		good + "0":                     false,
		good + "\n":                    false,
		strings.ToUpper(good):          false,
		"g" + good[1:]:                 false,
		"/" + good[1:]:                 false,
		":" + good[1:]:                 false,
		"`" + good[1:]:                 false,
		good[:20] + "\x00" + good[21:]: false,
		good[:38] + "é":                false,
	} {
		token, got := seal.ParseAPIToken(text)
		if got != want {
			t.Errorf("ParseAPIToken(%q): got %v, want %v", text, got, want)
		}
		if got && token.Expose() != text {
			t.Errorf("ParseAPIToken(%q).Expose(): got %q, want the same", text, token.Expose())
		}
	}
}

func TestAPITokenRowDependsOnEachCharacter(t *testing.T) {
	seen := map[[32]byte]bool{mustAPIToken(sampleAPIToken).Row(): true}
	for i := range sampleAPIToken {
		seen[mustAPIToken(sampleAPIToken[:i]+"a"+sampleAPIToken[i+1:]).Row()] = true
	}
	// Where it has an a already, nothing was changed.
	if got, want := len(seen), 1+len(sampleAPIToken)-strings.Count(sampleAPIToken, "a"); got != want {
		t.Errorf("Row: got %d different rows, want %d", got, want)
	}
}
