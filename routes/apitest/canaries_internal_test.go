package apitest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strconv"
	"testing"
)

// The search itself must find what it is there for.
func TestCanariesAreFound(t *testing.T) {
	t.Parallel()
	c := canary{"test", `é<&"abcdefghijklmnopqrstuvwxyz`}
	for name, hidden := range map[string]string{
		"raw":            "xx" + c.Text,
		"hex":            hex.EncodeToString([]byte("x" + c.Text)),
		"base64":         base64.StdEncoding.EncodeToString([]byte(c.Text)),
		"base64, by one": base64.StdEncoding.EncodeToString([]byte("x" + c.Text)),
		"base64, by two": base64.URLEncoding.EncodeToString([]byte("xx" + c.Text)),
		"URL":            url.QueryEscape(c.Text),
		"JSON":           strconv.QuoteToASCII(c.Text),
		"its beginning":  string([]rune(c.Text)[:20]),
	} {
		found := false
		for _, form := range c.forms() {
			found = found || bytes.Contains([]byte(hidden), form)
		}
		if !found {
			t.Errorf("forms in %s: got nothing found in %q, want it found", name, hidden)
		}
	}
}
