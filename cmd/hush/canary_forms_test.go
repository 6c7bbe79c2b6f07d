package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// canary is a value that is sent into one field and must not come out of
// another.
type canary struct {
	field string
	text  string
}

// canaries makes canaries and finds them again.
type canaries struct {
	mu   sync.Mutex
	list []canary
}

// rawSize is how many characters of a canary are enough to give it away.
const rawSize = 16

func (c *canaries) add(field, text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, canary{field, text})
	return text
}

// text is a canary with characters that every encoding writes differently. Its
// first sixteen are what is searched for, and what follows the special ones.
func (c *canaries) text(field string) string {
	return c.add(field, `é<&"`+randomWord(26))
}

// word is a canary of letters and digits, in the shape of a key.
func (c *canaries) word(field string) string { return c.add(field, randomWord(31)) }

func randomWord(size int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	word := make([]byte, size)
	for i := range word {
		word[i] = letters[rand.IntN(len(letters))]
	}
	return string(word)
}

// forms are the spellings in which the beginning of a canary would be found.
func (c canary) forms() [][]byte {
	plain := strings.TrimPrefix(c.text, `é<&"`)
	plain = plain[:min(rawSize, len(plain))]
	whole := string([]rune(c.text)[:min(rawSize, len([]rune(c.text)))])
	quoted, err := json.Marshal(whole)
	if err != nil {
		return nil
	}
	forms := [][]byte{
		[]byte(plain), []byte(strings.ToUpper(plain)), []byte(whole),
		[]byte(hex.EncodeToString([]byte(plain))), []byte(strings.ToUpper(hex.EncodeToString([]byte(plain)))),
		[]byte(url.QueryEscape(whole)), []byte(url.PathEscape(whole)),
		bytes.Trim(quoted, `"`), []byte(strings.Trim(strconv.QuoteToASCII(whole), `"`)),
	}
	for shift := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(append(make([]byte, shift), plain...))
			// What is left is the same whatever stands around it.
			forms = append(forms, []byte(encoded[(shift*8+5)/6:(shift+len(plain))*8/6]))
		}
	}
	return forms
}

// window is how many bytes are looked up at a time: fewer than any form has.
const window = 12

// spelled is a canary in one of its forms.
type spelled struct {
	canary
	form []byte
}

// index makes the forms findable by their first bytes: thousands of canaries
// are looked for in everything that was written.
func (c *canaries) index() map[[window]byte][]spelled {
	c.mu.Lock()
	defer c.mu.Unlock()
	index := map[[window]byte][]spelled{}
	for _, one := range c.list {
		for _, form := range one.forms() {
			index[[window]byte(form)] = append(index[[window]byte(form)], spelled{one, form})
		}
	}
	return index
}

// search fails the test for each canary that is found in content, but for those
// sent as skip.
func (c *canaries) search(t *testing.T, where string, content []byte, skip ...string) {
	t.Helper()
	searchFor(t, c.index(), where, content, skip...)
}

func searchFor(t *testing.T, index map[[window]byte][]spelled, where string, content []byte, skip ...string) {
	t.Helper()
	for at := 0; at+window <= len(content); at++ {
		for _, s := range index[[window]byte(content[at:at+window])] {
			skipped := slices.ContainsFunc(skip, func(field string) bool { return strings.HasPrefix(s.field, field) })
			if !skipped && bytes.HasPrefix(content[at:], s.form) {
				t.Errorf("%s: got what was sent as %s, spelled %q, in %q", where, s.field, s.form, around(content, at))
			}
		}
	}
}

func around(content []byte, at int) []byte {
	return content[max(0, at-80):min(len(content), at+80)]
}

// The search itself must find what it is there for.
func TestCanariesAreFound(t *testing.T) {
	t.Parallel()
	c := canary{"test", `é<&"abcdefghijklmnopqrstuvwxyz`}
	for name, hidden := range map[string]string{
		"raw":            "xx" + c.text,
		"hex":            hex.EncodeToString([]byte("x" + c.text)),
		"base64":         base64.StdEncoding.EncodeToString([]byte(c.text)),
		"base64, by one": base64.StdEncoding.EncodeToString([]byte("x" + c.text)),
		"base64, by two": base64.URLEncoding.EncodeToString([]byte("xx" + c.text)),
		"URL":            url.QueryEscape(c.text),
		"JSON":           strconv.QuoteToASCII(c.text),
		"its beginning":  string([]rune(c.text)[:20]),
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
