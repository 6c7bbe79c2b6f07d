package params

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestParseDuration(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64 // zero for the default
	}{
		{"", 0}, {" ", 0}, {"0", 0}, {"-1", 0}, {"-0", 0}, {"abc", 0}, {"true", 0},
		{"NaN", 0}, {"Inf", 0}, {"+inf", 0}, {"0x10", 0}, {"0x1p4", 0}, {"1_000", 0}, {"1e", 0},
		{"0.5", 0}, {".5", 0}, {"0.99999999999999999999", 0}, {"1e-9", 0}, {"-1e999", 0}, {".", 0}, {"+", 0},
		{"1,5", 0}, {"٣", 0}, {"1 2", 0}, {"--1", 0}, {"1e-999", 0},
		{"1", 1}, {"60", 60}, {" 60 ", 60}, {"+60", 60}, {"0060", 60}, {"5.", 5}, {"3600.7", 3600},
		{"59.99999999999999999999", 59}, {"1e3", 1000}, {"1E3", 1000}, {"1.5e3", 1500},
		{"9223372036", maxSeconds}, {"9223372037", maxSeconds}, {"99999999999999999999", maxSeconds}, {"1e999", maxSeconds},
		{strings.Repeat("9", 5000), maxSeconds}, {"-" + strings.Repeat("9", 5000), 0},
		{"90s", 90}, {"15m", 900}, {"1h", 3600}, {"3d", 259_200}, {"1w", 604_800}, {" 1h ", 3600}, {"+1h", 3600}, {"01h", 3600},
		{"1.5h", 5400}, {".5h", 1800}, {"0.5h", 1800}, {"1.15h", 4140}, {"5.m", 300}, {"0.99999999999999999999m", 59}, {"1e1h", 36_000},
		{"90.9s", 90}, {"59.99999999999999999999w", 36_287_999},
		{"2562047h", 9_223_369_200}, {"2562048h", maxSeconds}, {"15250w", 9_223_200_000}, {"15251w", maxSeconds},
		{"9223372036854775807w", maxSeconds}, {"99999999999999999999s", maxSeconds}, {"1e300d", maxSeconds}, {strings.Repeat("9", 5000) + "h", maxSeconds},
		{"h", 0}, {"0h", 0}, {"-1h", 0}, {"-0.5h", 0}, {".h", 0}, {"0.5s", 0}, {"0.0001m", 0}, {"-" + strings.Repeat("9", 5000) + "h", 0},
		{"1h30m", 0}, {"1hh", 0}, {"1 h", 0}, {"1H", 0}, {"1M", 0}, {"1D", 0}, {"1y", 0}, {"1ms", 0}, {"1hour", 0}, {"PT1H", 0}, {"0x1d", 0}, {"infd", 0}, {"1eh", 0},
	} {
		got := parseDuration(test.text)
		if got.GetSeconds() != test.want || (got == nil) != (test.want == 0) || got.GetNanos() != 0 {
			t.Errorf("parseDuration(%s): got %v, want %d", shortened(test.text, 30), got, test.want)
		}
	}
}

// FuzzTTL: the result is nothing or whole seconds in bounds. For plain decimals
// it is exactly the whole seconds in as many units.
func FuzzTTL(f *testing.F) {
	for _, seed := range []string{"60", "3600.7", "1e9", "-1", "0x1", "99999999999999999999.9", "1h", "1.5d", "9223372037w"} {
		f.Add(seed)
	}
	plain := regexp.MustCompile(`^([0-9]{1,40}(?:\.[0-9]{0,9})?)([smhdw]?)$`)
	units := map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
	f.Fuzz(func(t *testing.T, text string) {
		got := parseDuration(text)
		if got != nil && (got.GetSeconds() < 1 || got.GetSeconds() > maxSeconds || got.GetNanos() != 0 || got.CheckValid() != nil) {
			t.Errorf("parseDuration(%q): got %v, want whole seconds in bounds", text, got)
		}
		parts := plain.FindStringSubmatch(text)
		if parts == nil {
			return
		}
		exact, _ := new(big.Rat).SetString(parts[1])
		exact.Mul(exact, new(big.Rat).SetInt64(units[parts[2]]))
		want := new(big.Int).Quo(exact.Num(), exact.Denom())
		if limit := big.NewInt(maxSeconds); want.Cmp(limit) > 0 {
			want = limit
		}
		if got.GetSeconds() != want.Int64() {
			t.Errorf("parseDuration(%q): got %v, want %v", text, got, want)
		}
	})
}

func TestMaxTTLIsADuration(t *testing.T) {
	got := parseDuration("1e300").AsDuration().Nanoseconds()
	if got <= 0 || got%1e9 != 0 {
		t.Errorf("parseDuration(1e300): got %d ns, want whole positive seconds", got)
	}
}
