package apitest

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
	Field string
	Text  string
}

// Canaries makes canaries and finds them again.
type Canaries struct {
	mu   sync.Mutex
	List []canary
}

// rawSize is how many characters of a canary are enough to give it away.
const rawSize = 16

// Add makes a text a canary of a field, and returns it.
func (c *Canaries) Add(field, text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.List = append(c.List, canary{field, text})
	return text
}

// Text is a canary with characters that every encoding writes differently. Its
// first sixteen are what is searched for, and what follows the special ones.
func (c *Canaries) Text(field string) string {
	return c.Add(field, `é<&"`+RandomWord(26))
}

// Word is a canary of letters and digits, in the shape of a key.
func (c *Canaries) Word(field string) string { return c.Add(field, RandomWord(31)) }

// RandomWord returns letters and digits.
func RandomWord(size int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	word := make([]byte, size)
	for i := range word {
		word[i] = letters[rand.IntN(len(letters))]
	}
	return string(word)
}

// forms are the spellings in which the beginning of a canary would be found.
func (c canary) forms() [][]byte {
	plain := strings.TrimPrefix(c.Text, `é<&"`)
	plain = plain[:min(rawSize, len(plain))]
	whole := string([]rune(c.Text)[:min(rawSize, len([]rune(c.Text)))])
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

// Index has the forms of canaries by their first bytes.
type Index map[[window]byte][]spelled

// Index makes the forms findable by their first bytes: thousands of canaries
// are looked for in everything that was written.
func (c *Canaries) Index() Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	index := Index{}
	for _, one := range c.List {
		for _, form := range one.forms() {
			index[[window]byte(form)] = append(index[[window]byte(form)], spelled{one, form})
		}
	}
	return index
}

// Search fails the test for each canary that is found in content, but for those
// sent as skip.
func (c *Canaries) Search(t *testing.T, where string, content []byte, skip ...string) {
	t.Helper()
	SearchFor(t, c.Index(), where, content, skip...)
}

// SearchFor is Search with an index that is made once.
func SearchFor(t *testing.T, index Index, where string, content []byte, skip ...string) {
	t.Helper()
	for at := 0; at+window <= len(content); at++ {
		for _, s := range index[[window]byte(content[at:at+window])] {
			skipped := slices.ContainsFunc(skip, func(field string) bool { return strings.HasPrefix(s.Field, field) })
			if !skipped && bytes.HasPrefix(content[at:], s.form) {
				t.Errorf("%s: got what was sent as %s, spelled %q, in %q", where, s.Field, s.form, Around(content, at))
			}
		}
	}
}

// Around returns what stands about a place in a content.
func Around(content []byte, at int) []byte {
	return content[max(0, at-80):min(len(content), at+80)]
}
