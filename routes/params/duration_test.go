package params

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestParseDuration(t *testing.T) {
	const none, refused = 0, -1
	for _, test := range []struct {
		text string
		want int64 // seconds; none for the default
	}{
		{"", none}, {" ", none}, {"0", none}, {"-1", none}, {" -1 ", none}, {"-1.0", none}, {"-0", none}, {"0.0", none}, {"0e5", none}, {"0h", none},
		{"1e-400", refused}, {"-1e-400", refused}, {"1e-999", refused}, {"1E-400h", refused}, {"0." + strings.Repeat("0", 400) + "1", refused},
		{"-0.99999999999999999999", refused}, {"-1.00000000000000000001", refused}, {"-1.00", none},
		{"abc", refused}, {"true", refused}, {"-5", refused}, {"-2", refused}, {"-1.5", refused}, {"-0.5", refused},
		{"NaN", refused}, {"Inf", refused}, {"+inf", refused}, {"0x10", refused}, {"0x1p4", refused}, {"1_000", refused}, {"1e", refused},
		{"-1e999", refused}, {".", refused}, {"+", refused}, {"-", refused}, {"+-1", refused},
		{"1,5", refused}, {"٣", refused}, {"1 2", refused}, {"--1", refused},
		{"0.5", 1}, {".5", 1}, {"0.99999999999999999999", 1}, {"1e-9", 1}, {"0.5s", 1}, {"0.0001m", 1},
		{"1", 1}, {"60", 60}, {" 60 ", 60}, {"+60", 60}, {"0060", 60}, {"5.", 5}, {"3600.7", 3600},
		{"59.99999999999999999999", 59}, {"1e3", 1000}, {"1E3", 1000}, {"1.5e3", 1500},
		{"9223372036", maxSeconds}, {"9223372037", maxSeconds}, {"99999999999999999999", maxSeconds}, {"1e999", maxSeconds},
		{strings.Repeat("9", 5000), maxSeconds}, {"-" + strings.Repeat("9", 5000), refused},
		{"90s", 90}, {"15m", 900}, {"1h", 3600}, {"3d", 259_200}, {"1w", 604_800}, {" 1h ", 3600}, {"+1h", 3600}, {"01h", 3600},
		{"1.5h", 5400}, {".5h", 1800}, {"0.5h", 1800}, {"1.15h", 4140}, {"5.m", 300}, {"0.99999999999999999999m", 59}, {"1e1h", 36_000},
		{"90.9s", 90}, {"59.99999999999999999999w", 36_287_999},
		{"2562047h", 9_223_369_200}, {"2562048h", maxSeconds}, {"15250w", 9_223_200_000}, {"15251w", maxSeconds},
		{"9223372036854775807w", maxSeconds}, {"99999999999999999999s", maxSeconds}, {"1e300d", maxSeconds}, {strings.Repeat("9", 5000) + "h", maxSeconds},
		{"h", refused}, {"s", refused}, {"-1h", refused}, {"-1s", refused}, {"-0.5h", refused}, {".h", refused}, {"-" + strings.Repeat("9", 5000) + "h", refused},
		{"1h30m", refused}, {"1hh", refused}, {"1 h", refused}, {"1H", refused}, {"30M", refused}, {"1D", refused}, {"5min", refused}, {"1y", refused}, {"1ms", refused},
		{"1hour", refused}, {"PT1H", refused}, {"0x1d", refused}, {"infd", refused}, {"1eh", refused}, {"7 days", refused},
	} {
		got, ok := parseDuration(test.text)
		if ok != (test.want != refused) || got.GetSeconds() != max(test.want, 0) || (got == nil) != (test.want < 1) || got.GetNanos() != 0 {
			t.Errorf("parseDuration(%s): got %v %t, want %d", shortened(test.text, 30), got, ok, test.want)
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
		got, ok := parseDuration(text)
		if got != nil && (got.GetSeconds() < 1 || got.GetSeconds() > maxSeconds || got.GetNanos() != 0 || got.CheckValid() != nil) {
			t.Errorf("parseDuration(%q): got %v, want whole seconds in bounds", text, got)
		}
		if got != nil && !ok {
			t.Errorf("parseDuration(%q): got %v and a refusal, want one of them", text, got)
		}
		parts := plain.FindStringSubmatch(text)
		if parts == nil {
			return
		}
		if !ok {
			t.Errorf("parseDuration(%q): got a refusal, want a duration", text)
		}
		exact, _ := new(big.Rat).SetString(parts[1])
		exact.Mul(exact, new(big.Rat).SetInt64(units[parts[2]]))
		want := new(big.Int).Quo(exact.Num(), exact.Denom())
		if limit := big.NewInt(maxSeconds); want.Cmp(limit) > 0 {
			want = limit
		}
		if want.Sign() == 0 && exact.Sign() > 0 {
			want.SetInt64(1)
		}
		if got.GetSeconds() != want.Int64() {
			t.Errorf("parseDuration(%q): got %v, want %v", text, got, want)
		}
	})
}

func TestMaxTTLIsADuration(t *testing.T) {
	lifetime, _ := parseDuration("1e300")
	got := lifetime.AsDuration().Nanoseconds()
	if got <= 0 || got%1e9 != 0 {
		t.Errorf("parseDuration(1e300): got %d ns, want whole positive seconds", got)
	}
}

// A body that asks for no lifetime leaves it to the query, however it says so.
func TestDurationOfTwoSources(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		body, query string
		want        int64 // 0 for the default
	}{
		{"ttl=", "ttl=120", 120},
		{"ttl=0", "ttl=120", 120},
		{"ttl=-1", "ttl=120", 120},
		{"ttl=0s", "ttl=2m", 120},
		{"ttl=60", "ttl=120", 60},
		{"ttl=60", "ttl=0", 60},
		{"ttl=0", "ttl=", 0},
		{"ttl=0", "", 0},
		{"", "ttl=-1", 0},
	} {
		got, err := mustParams(t, test.body, test.query).duration("ttl")
		if err != nil || got.GetSeconds() != test.want || (got == nil) != (test.want == 0) {
			t.Errorf("Duration(body %q, query %q): got %v, %v, want %d s", test.body, test.query, got, err, test.want)
		}
	}
	for _, test := range [][2]string{{"ttl=0", "ttl=soon"}, {"ttl=soon", "ttl=60"}, {"ttl=0", "ttl=1&ttl=2"}, {"ttl=60", "ttl=1&ttl=2"}} {
		if got, err := mustParams(t, test[0], test[1]).duration("ttl"); err == nil {
			t.Errorf("Duration(body %q, query %q): got %v, want a refusal", test[0], test[1], got)
		}
	}
}
