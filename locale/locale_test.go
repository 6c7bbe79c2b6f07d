package locale_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/locale"
)

func TestSupported(t *testing.T) {
	t.Parallel()
	want := []locale.Locale{"en", "ar", "de", "es", "fr", "he", "it", "ja", "nl", "pl", "pt_BR", "uk"}
	got := locale.Supported()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Supported() (-want +got):\n%s", diff)
	}
	got[0] = "xx"
	if again := locale.Supported(); again[0] != locale.English {
		t.Errorf("Supported() after its slice was changed: got %s first, want en", again[0])
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, l := range locale.Supported() {
		if got, ok := locale.Parse(string(l)); got != l || !ok {
			t.Errorf("Parse(%q): got %q, %t, want it known", l, got, ok)
		}
	}
	for _, tt := range []struct {
		name string
		want locale.Locale
	}{
		{"pt-BR", "pt_BR"},
		{"PT_br", "pt_BR"},
		{"EN", "en"},
		{"", ""},
		{"pt", ""},
		{"pt__BR", ""},
		{"de_DE", ""},
		{" de", ""},
		{"xx", ""},
		{"u\u212a", ""}, // the Kelvin sign folds to k
	} {
		if got, ok := locale.Parse(tt.name); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Parse(%q): got %q, %t, want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header string
		want   locale.Locale
	}{
		{"", "en"},
		{"*", "en"},
		{"de", "de"},
		{"de-AT", "de"},
		{"DE-ch", "de"},
		{"fr-CA,fr;q=0.9,en;q=0.8", "fr"},
		{"pt-BR", "pt_BR"},
		{"pt_BR", "pt_BR"},
		{"pt-PT", "pt_BR"},
		{"en;q=0.5, uk", "uk"},
		{"uk;q=0, ja;q=0.3", "ja"},
		{"sv, nl;q=0.5", "nl"},
		{"zh-CN", "en"},
		{"tlh", "en"},
		{"en-GB,de;q=0.9", "en"},
		{"es-419", "es"},
		{"ar-EG", "ar"},
		{"iw", "he"}, // the code that old systems send for Hebrew
		{"de;q=x", "en"},
		{"\x00\xff", "en"},
		{strings.Repeat("de,", 341), "de"},         // 1,023 bytes
		{strings.Repeat("de,", 341) + "de", "en"},  // 1,025 bytes
		{strings.Repeat("x-", 400) + "a,pl", "pl"}, // the first one is no language
		{"pl" + strings.Repeat("-abcdefgh", 100), "en"},      // as many parts as fit
		{strings.Repeat("*;q=0.1,", 100) + "it;q=0.9", "it"}, // wildcards count for nothing
	} {
		if got := locale.Match(tt.header); got != tt.want {
			t.Errorf("Match(%.60q): got %s, want %s", tt.header, got, tt.want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, header := range []string{"", "de", "pt-BR,pt;q=0.9", "*;q=0.1", "en;q=1.5", "zh-Hant-TW-x-a", "i-klingon"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := locale.Match(header)
		if !slices.Contains(locale.Supported(), got) {
			t.Errorf("Match(%q): got %q, want a supported language", header, got)
		}
		if len(header) > 1<<10 && got != locale.English {
			t.Errorf("Match of %d bytes: got %q, want English", len(header), got)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"", "en", "pt_BR", "pt-br", "xx", "u\u212a"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		l, ok := locale.Parse(name)
		if ok != slices.Contains(locale.Supported(), l) {
			t.Errorf("Parse(%q): got %q, %t, want a supported language or none", name, l, ok)
		}
		if again, known := locale.Parse(string(l)); again != l || known != ok {
			t.Errorf("Parse(%q) = %q, and Parse of that: got %q, %t, want the same", name, l, again, known)
		}
		if ok && !strings.EqualFold(strings.ReplaceAll(name, "-", "_"), string(l)) {
			t.Errorf("Parse(%q): got %q, want nothing else taken for a name", name, l)
		}
	})
}

func TestDirection(t *testing.T) {
	for _, l := range locale.Supported() {
		want := "ltr"
		if l == "ar" || l == "he" {
			want = "rtl"
		}
		if got := l.Direction(); got != want {
			t.Errorf("%s.Direction(): got %q, want %s", l, got, want)
		}
	}
	for _, l := range []locale.Locale{"ar_EG", "fa", "ur"} {
		if got := l.Direction(); got != "rtl" {
			t.Errorf("%s.Direction(): got %q, want rtl", l, got)
		}
	}
}
