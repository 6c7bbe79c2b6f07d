package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"hush/seal"
)

const goodRoot = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestParseRootKey(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"bare":             {goodRoot, nil},
		"file":             {goodRoot + "\n", nil},
		"white space":      {" \t" + goodRoot + "\r\n\n", nil},
		"upper case":       {strings.ToUpper(goodRoot), nil},
		"mixed case":       {goodRoot[:32] + strings.ToUpper(goodRoot[32:]), nil},
		"empty":            {"", seal.ErrRootKeyFormat},
		"only white space": {"\n\n", seal.ErrRootKeyFormat},
		"one short":        {goodRoot[1:], seal.ErrRootKeyFormat},
		"one byte short":   {goodRoot[2:], seal.ErrRootKeyFormat},
		"one byte long":    {goodRoot + "aa", seal.ErrRootKeyFormat},
		"space within":     {goodRoot[:31] + " " + goodRoot[32:], seal.ErrRootKeyFormat},
		"not hexadecimal":  {"g" + goodRoot[1:], seal.ErrRootKeyFormat},
		"raw bytes":        {goodRoot[:32], seal.ErrRootKeyFormat},
		"prefix":           {"0x" + goodRoot[2:], seal.ErrRootKeyFormat},
		"placeholder":      {"CHANGEME", seal.ErrRootKeyFormat},
		"zeros":            {strings.Repeat("00", 32), seal.ErrWeakRootKey},
		"all equal":        {strings.Repeat("a7", 32), seal.ErrWeakRootKey},
		"typed digits":     {strings.Repeat("0123456789abcdef", 4), seal.ErrWeakRootKey},
		"repeated half":    {strings.Repeat(goodRoot[:32], 2), seal.ErrWeakRootKey},
		"seven values":     {strings.Repeat("01020304050607", 4) + "01030205", seal.ErrWeakRootKey},
		"eight values":     {strings.Repeat("01020304050607", 4) + "01030208", nil},
		"counting up":      {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", seal.ErrWeakRootKey},
		"counting down":    {"1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100", seal.ErrWeakRootKey},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := seal.ParseRootKey([]byte(c.text))
			if !errors.Is(err, c.want) {
				t.Errorf("ParseRootKey(%q): got %v, want %v", c.text, err, c.want)
			}
			if word := strings.TrimSpace(c.text); word != "" && err != nil && strings.Contains(err.Error(), word) {
				t.Errorf("ParseRootKey(%q): got %v, want an error without the text", c.text, err)
			}
		})
	}
}

func TestRootKeyText(t *testing.T) {
	root, err := seal.ParseRootKey([]byte(strings.ToUpper(goodRoot)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(root.Text()), goodRoot+"\n"; got != want {
		t.Errorf("Text(): got %q, want %q", got, want)
	}
}

func TestNewRootKey(t *testing.T) {
	first, second := seal.NewRootKey().Text(), seal.NewRootKey().Text()
	if bytes.Equal(first, second) {
		t.Error("NewRootKey(): got the same key twice, want two")
	}
	parsed, err := seal.ParseRootKey(first)
	if err != nil || !bytes.Equal(parsed.Text(), first) {
		t.Errorf("ParseRootKey(Text()): got another key or %v, want the same key", err)
	}
}
