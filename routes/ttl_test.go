package routes

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestParseTTL(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64 // zero for the default
	}{
		{"", 0}, {" ", 0}, {"0", 0}, {"-1", 0}, {"-0", 0}, {"abc", 0}, {"60s", 0}, {"true", 0},
		{"NaN", 0}, {"Inf", 0}, {"+inf", 0}, {"0x10", 0}, {"0x1p4", 0}, {"1_000", 0}, {"1e", 0},
		{"0.5", 0}, {".5", 0}, {"0.99999999999999999999", 0}, {"1e-9", 0}, {"-1e999", 0}, {".", 0}, {"+", 0},
		{"1,5", 0}, {"٣", 0}, {"1 2", 0}, {"--1", 0}, {"1e-999", 0},
		{"1", 1}, {"60", 60}, {" 60 ", 60}, {"+60", 60}, {"0060", 60}, {"5.", 5}, {"3600.7", 3600},
		{"59.99999999999999999999", 59}, {"1e3", 1000}, {"1E3", 1000}, {"1.5e3", 1500},
		{"9223372036", maxTTL}, {"9223372037", maxTTL}, {"99999999999999999999", maxTTL}, {"1e999", maxTTL},
		{strings.Repeat("9", 5000), maxTTL}, {"-" + strings.Repeat("9", 5000), 0},
	} {
		got := parseTTL(test.text)
		if got.GetSeconds() != test.want || (got == nil) != (test.want == 0) || got.GetNanos() != 0 {
			t.Errorf("parseTTL(%s): got %v, want %d", short(test.text, 30), got, test.want)
		}
	}
}

// FuzzTTL: the answer is nothing or whole seconds in bounds, and for plain
// decimals it is the integer part exactly.
func FuzzTTL(f *testing.F) {
	for _, seed := range []string{"60", "3600.7", "1e9", "-1", "0x1", "99999999999999999999.9"} {
		f.Add(seed)
	}
	plain := regexp.MustCompile(`^[0-9]{1,40}(\.[0-9]{0,40})?$`)
	f.Fuzz(func(t *testing.T, text string) {
		got := parseTTL(text)
		if got != nil && (got.GetSeconds() < 1 || got.GetSeconds() > maxTTL || got.GetNanos() != 0 || got.CheckValid() != nil) {
			t.Errorf("parseTTL(%q): got %v, want whole seconds in bounds", text, got)
		}
		if !plain.MatchString(text) {
			return
		}
		digits, _, _ := strings.Cut(text, ".")
		want, _ := new(big.Int).SetString(digits, 10)
		if limit := big.NewInt(maxTTL); want.Cmp(limit) > 0 {
			want = limit
		}
		if got.GetSeconds() != want.Int64() {
			t.Errorf("parseTTL(%q): got %v, want %v", text, got, want)
		}
	})
}

func TestMaxTTLIsADuration(t *testing.T) {
	got := parseTTL("1e300").AsDuration().Nanoseconds()
	if got <= 0 || got%1e9 != 0 {
		t.Errorf("parseTTL(1e300): got %d ns, want whole positive seconds", got)
	}
}
