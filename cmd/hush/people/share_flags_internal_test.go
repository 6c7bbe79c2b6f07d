package people

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/web"

	"github.com/google/go-cmp/cmp"
)

func TestParseLifetime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1s": time.Second, "90m": 90 * time.Minute, "1h30m": 90 * time.Minute, "3d": 72 * time.Hour, "2w": 336 * time.Hour,
		"1w2d3h4m5s": 219*time.Hour + 4*time.Minute + 5*time.Second, "007d": 168 * time.Hour, "3650d": maxLifetime,
	} {
		if got, err := parseLifetime(text); err != nil || got != want {
			t.Errorf("parseLifetime(%q): got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "3", "d", "3 d", "-3d", "+3d", "1.5h", "3D", "3days", "0s", "0d0h", "3651d", "3650d1s", "1h30", "99999999999999999999s", "4294967295w", "٣d",
	} {
		if got, err := parseLifetime(text); !errors.Is(err, errLifetime) {
			t.Errorf("parseLifetime(%q): got %s, %v, want an error", text, got, err)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]client.Generate{
		"20":                   {Length: 20},
		"4":                    {Length: 4},
		"128:all":              {Length: 128, Lower: true, Upper: true, Digits: true, Symbols: true},
		"digits":               {Length: 20, Digits: true},
		"6:digits,unambiguous": {Length: 6, Digits: true, Unambiguous: true},
		"letters,symbols":      {Length: 20, Lower: true, Upper: true, Symbols: true},
		"32:lower,upper":       {Length: 32, Lower: true, Upper: true},
		"unambiguous":          {Length: 20, Unambiguous: true},
	} {
		got, err := parseGeneratePolicy(text)
		if err != nil {
			t.Errorf("parseGeneratePolicy(%q): got %v, want a policy", text, err)
			continue
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("parseGeneratePolicy(%q): got another policy (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"", "3", "129", "-20", "20:", ":digits", "digits:20", "20:digits,", "20:vowels", "20, digits", "Digits", "20:digits:symbols"} {
		if got, err := parseGeneratePolicy(text); !errors.Is(err, errGeneratePolicy) {
			t.Errorf("parseGeneratePolicy(%q): got %+v, %v, want an error", text, got, err)
		}
	}
}

// Each word of the list can be drawn: among 2,000 passphrases one is missing with a
// probability below 0.01.
func TestDrawPassphrase(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for _, word := range web.Words() {
		missing[word] = true
	}
	for range 2000 {
		phrase, err := drawPassphrase()
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(phrase, "-")
		if len(words) != passphraseWords {
			t.Fatalf("drawPassphrase: got %q, want %d words", phrase, passphraseWords)
		}
		for _, word := range words {
			delete(missing, word)
		}
	}
	if len(missing) > 3 {
		t.Errorf("drawPassphrase: got none of %d words in 2000 passphrases, want all", len(missing))
	}
}

// The server takes a comma in a quoted name for a part of the name, and addresses that
// differ only in case for one.
func TestRecipients(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a@a.example":                               {"a@a.example"},
		" a@a.example ,, b@b.example,":              {"a@a.example", "b@b.example"},
		`"Lovelace, Ada" <one@b.example>`:           {`"Lovelace, Ada" <one@b.example>`},
		`"a \", b" <one@b.example>, two@b.example`:  {`"a \", b" <one@b.example>`, "two@b.example"},
		"a@a.example,A@A.Example,Ada <a@a.EXAMPLE>": {"a@a.example"},
		"Ada <a@a.example>,a@a.example,b@a.example": {"Ada <a@a.example>", "b@a.example"},
		"a@bücher.example,a@xn--bcher-kva.example":  {"a@bücher.example"},
		"u\u0308@a.example,ü@a.example":             {"u\u0308@a.example"},
		"no address,No Address,another":             {"no address", "another"},
		"":                                          nil,
	} {
		got, err := parseRecipients(text)
		if diff := cmp.Diff(want, distinctRecipients(got)); err != nil || diff != "" {
			t.Errorf("parseRecipients(%q): got %v and other recipients (-want +got):\n%s", text, err, diff)
		}
	}
}
