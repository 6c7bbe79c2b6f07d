package seal_test

import (
	"strings"
	"testing"

	"hush/seal"
)

func TestTokenIn(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdefghijklmnopqrstu"
	want, ok := seal.ParseToken(key)
	if !ok {
		t.Fatalf("ParseToken(%s): got false, want a token", key)
	}
	for _, link := range []string{
		key, " " + key + "\n", "https://example.com/s#" + key, "https://example.com/secret/" + key + "/",
		"https://example.com/secret/" + key + "?utm_source=mail", "https://example.com/s?from=chat#" + key,
		"https://example.com/s%23" + key, "https://example.com/s%2523" + key + ".", "<https://example.com/s#" + key + ">",
		"https://example.com/e#" + key + strings.Repeat("x", 43),
	} {
		if got, ok := seal.TokenIn(link); !ok || got != want {
			t.Errorf("TokenIn(%q): got %t, want the key", link, ok)
		}
	}
	for _, link := range []string{"", "#", "https://example.com/s#", key[1:], key + "v", "https://example.com/e#" + key + "x", strings.ToUpper(key)} {
		if _, ok := seal.TokenIn(link); ok {
			t.Errorf("TokenIn(%q): got a key, want none", link)
		}
	}
}
