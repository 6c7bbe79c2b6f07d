package console_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hush/cli/console"
)

// A sender puts characters into a secret that a terminal obeys: it would move the
// cursor over what was printed before, change the title, or answer as if the
// recipient had typed.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"plain\ttext\nof two lines\r\n": "plain\ttext\nof two lines\r\n",
		"größer 😀 \U0001f469\u200d\U0001f467": "größer 😀 \U0001f469\u200d\U0001f467",
		"\u0645\u06cc\u200c\u062e":            "\u0645\u06cc\u200c\u062e",
		"\x1b[2J":                             `\x1b[2J`,
		"\x1b]0;title\a":                      `\x1b]0;title\x07`,
		"over\rwritten":                       `over\x0dwritten`,
		"a\bb\x7f\x00":                        `a\x08b\x7f\x00`,
		"\u009b31m":                           `\x9b31m`,
		"\x9b31m":                             `\x9b31m`,
		"abc\u202etxt.exe":                    `abc\u202etxt.exe`,
		"\u2066a\u2069\u200e\ufeff":           `\u2066a\u2069\u200e\ufeff`,
		"\u2028\u2029\u0085":                  `\u2028\u2029\x85`,
		"\U000e0041":                          `\U000e0041`,
		"cut \xe2\x82":                        `cut \xe2\x82`,
		"\ufffd":                              "\ufffd",
	} {
		if got := console.Printable([]byte(text)); got != want {
			t.Errorf("Printable(%q): got %q, want %q", text, got, want)
		}
	}
}

// The same sender knows that his secret is opened with --json: JSON escapes the first 32
// characters alone, and a terminal obeys others too.
func TestEscapeJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"{\"a\":\"größer 😀 <&>\"}\n":    "{\"a\":\"größer 😀 <&>\"}\n",
		"\"\u009b31m\x7f\u202e\u2028\"": `"\u009b31m\u007f\u202e\u2028"`,
		"\"\U000e0041\"":                `"\udb40\udc41"`,
	} {
		got := console.EscapeJSON([]byte(text))
		if string(got) != want {
			t.Errorf("EscapeJSON(%q): got %q, want %q", text, got, want)
		}
		var before, after any
		if text != "" && (json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal(got, &after) != nil || !reflect.DeepEqual(before, after)) {
			t.Errorf("EscapeJSON(%q): it means %v, want %v", text, after, before)
		}
	}
}

func TestIsBinary(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "text": false, "größer\n": false, "\x1b[2J": false, "\x00": true, "a\x00b": true, "\xff\xfe": true, "cut \xe2\x82": true,
	} {
		if got := console.IsBinary([]byte(text)); got != want {
			t.Errorf("IsBinary(%q): got %t, want %t", text, got, want)
		}
	}
}

// Whatever a secret holds, a terminal gets nothing that it obeys, and the text stays
// as it is where there is nothing to obey.
func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{"", "text\r\n\t", "\x1b[2J\x9b\x00", "\u202e\u2066\U000e0041", "cut \xe2\x82", "a\rb"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := console.Printable(text)
		if !utf8.ValidString(got) {
			t.Errorf("Printable(%q): got %q, want valid UTF-8", text, got)
		}
		bare := strings.NewReplacer("\r\n", "", "\n", "", "\t", "", "\u200c", "", "\u200d", "").Replace(got)
		if at := strings.IndexFunc(bare, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }); at >= 0 {
			t.Errorf("Printable(%q): got %q, want no character that a terminal obeys", text, got)
		}
		if again := console.Printable([]byte(got)); again != got {
			t.Errorf("Printable(%q): got %q for what it returned, want %q", text, again, got)
		}
	})
}
