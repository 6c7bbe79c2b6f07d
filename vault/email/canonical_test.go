package email_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
)

func TestCanonicalAddress(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 60) + "@" + strings.Repeat(strings.Repeat("b", 60)+".", 3)
	tests := map[string]string{
		"ada@example.com":             "ada@example.com",
		" \tAda@Example.COM\r\n":      "ada@example.com",
		"ada+tag@example.com":         "ada+tag@example.com",
		"o'ada@example.com":           "o'ada@example.com",
		"cafe\u0301@example.com":      "caf\u00e9@example.com",
		"CAF\u00c9@example.com":       "caf\u00e9@example.com",
		"ada@b\u00dccher.example":     "ada@b\u00fccher.example",
		long + "example.co":           long + "example.co",
		long + "example.com":          "",
		"":                            "",
		"  ":                          "",
		"ada":                         "",
		"@example.com":                "",
		"ada@":                        "",
		"ada@example.com.":            "",
		"ada..b@example.com":          "",
		"ada @example.com":            "",
		"ada@example.com, b@c.de":     "",
		"ada@example.com;b@c.de":      "",
		"Ada <ada@example.com>":       "",
		"<ada@example.com>":           "",
		"ada@example.com (Ada)":       "",
		`"ada b"@example.com`:         "",
		"ada@[192.0.2.1]":             "",
		"ada@example.com\r\nBcc: b@c": "",
		"ada\x00@example.com":         "",
		"ada\u200b@example.com":       "",
		"ada\xff@example.com":         "",
		"a@b@example.com":             "",
	}
	for text, want := range tests {
		got, err := email.Canonical(caller.Text(text))
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, refusal.ErrInvalid) {
			t.Errorf("Canonical(%q): got %q and %v, want %q", text, got, err, want)
		}
	}
}

// What is canonical stays as it is, fits into a header line, and is bounded.
func FuzzCanonicalAddress(f *testing.F) {
	for _, text := range []string{"ada@example.com", " Ada@Example.COM ", "\u0130@example.com", "cafe\u0301@\u1e9e.example", "a\u212b@x", "ada@[::1]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := email.Canonical(caller.Text(text))
		if err != nil {
			return
		}
		if again, err := email.Canonical(caller.Text(address)); err != nil || again != address {
			t.Errorf("Canonical(%q): got %q and %v, want the same", address, again, err)
		}
		if len(address) > email.MaxLength || strings.ContainsAny(address, "\r\n\t <>,;\"") || !utf8.ValidString(address) || !strings.Contains(address, "@") {
			t.Errorf("Canonical(%q): got %q, want a plain address", text, address)
		}
	})
}
