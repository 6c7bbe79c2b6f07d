package seal_test

import (
	"strings"
	"testing"
	"time"

	"hush/seal"
)

const alphabet36 = "0123456789abcdefghijklmnopqrstuvwxyz"

func TestParseToken(t *testing.T) {
	good := "k7d2m9x4q1w8e5r3t6y0u2i4oyw3v28"
	for text, want := range map[string]bool{
		good:                           true,
		strings.Repeat("0", 31):        true,
		strings.Repeat("z", 31):        true,
		"":                             false,
		good[1:]:                       false,
		good + "0":                     false,
		good + "\n":                    false,
		strings.ToUpper(good):          false,
		"/" + good[1:]:                 false,
		":" + good[1:]:                 false,
		"`" + good[1:]:                 false,
		"{" + good[1:]:                 false,
		good[:15] + "\x00" + good[16:]: false,
		good[:29] + "é":                false,
	} {
		token, got := seal.ParseToken(text)
		if got != want {
			t.Errorf("ParseToken(%q): got %v, want %v", text, got, want)
		}
		if got && token.Expose() != text {
			t.Errorf("ParseToken(%q).Expose(): got %q, want the same", text, token.Expose())
		}
		if !got && token != (seal.Token{}) {
			t.Errorf("ParseToken(%q): got a token, want the zero token", text)
		}
	}
}

func TestTokenShort(t *testing.T) {
	token := mustToken("k7d2m9x4q1w8e5r3t6y0u2i4oyw3v28")
	for n, want := range map[int]string{-1: "", 0: "", 6: "k7d2m9", 8: "k7d2m9x4", 9: "k7d2m9x4", 31: "k7d2m9x4"} {
		if got := token.Short(n); got != want {
			t.Errorf("Short(%d): got %q, want %q", n, got, want)
		}
	}
}

// The random characters of 100,000 tokens are uniform, and no two tokens of
// one millisecond are alike.
func TestNewTokenIsUniform(t *testing.T) {
	const tokens = 100_000
	counts := make([]float64, len(alphabet36))
	expected := make([]float64, len(alphabet36))
	seen := make(map[seal.Token]bool, tokens)
	for range tokens {
		token := seal.NewToken(sampleTime)
		seen[token] = true
		for _, c := range token.Expose()[:25] {
			counts[strings.IndexRune(alphabet36, c)]++
		}
	}
	for i := range expected {
		expected[i] = 25 * tokens / float64(len(alphabet36))
	}
	wantEvenly(t, "NewToken(now)", counts, expected)
	if len(seen) != tokens {
		t.Errorf("NewToken(now): got %d different tokens of %d, want all", len(seen), tokens)
	}
}

func TestNewTokenTime(t *testing.T) {
	for ms, want := range map[int64]string{
		0:             "000000",
		35:            "00000z",
		36:            "000010",
		2_176_782_335: "zzzzzz",
		2_176_782_336: "000000",
		2_176_782_337: "000001",
		-1:            "zzzzzz",
	} {
		if got := seal.NewToken(time.UnixMilli(ms)).Expose()[25:]; got != want {
			t.Errorf("NewToken(%d ms): got time %q, want %q", ms, got, want)
		}
	}
}

// Later tokens sort later by their row keys, within one turn of the time.
func TestRowKeysSortByTime(t *testing.T) {
	last := ""
	start := time.UnixMilli(2_176_782_336 * 800)
	for step := range 1000 {
		row := seal.NewToken(start.Add(time.Duration(step) * 36 * time.Minute)).RowKey(seal.KindSecret)
		if got := string(row[:6]); got <= last {
			t.Fatalf("RowKey(step %d): got time %q, want one after %q", step, got, last)
		} else {
			last = got
		}
	}
}

func TestRowKeyDependsOnKindAndToken(t *testing.T) {
	token := "k7d2m9x4q1w8e5r3t6y0u2i4oyw3v28"
	seen := map[seal.RowKey]string{
		mustToken(token).RowKey(seal.KindSecret):   "secret",
		mustToken(token).RowKey(seal.KindMetadata): "metadata",
	}
	for i := range token {
		other := token[:i] + "j" + token[i+1:]
		seen[mustToken(other).RowKey(seal.KindSecret)] = other
	}
	if got, want := len(seen), 2+len(token); got != want {
		t.Errorf("RowKey: got %d different rows, want %d", got, want)
	}
}
