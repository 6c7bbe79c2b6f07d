package params

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/routes/refusal"
)

// testNames are those of the routes.
func testNames() Names {
	all := optional(FormText,
		"secret", "share_domain", "kind", "continue",
		"memo", "keys", "identifiers", "shrimp", "length", "character_sets[numbers]",
		"confirmation", "currentp", "newp", "newp2", "locale", "domain", "brand[colour]", "logo", "image", "icon",
		"msg", "tz", "version", "authenticity_payload", "action",
		"message", "type", "stack", "url", "line", "column", "user_agent", "environment", "release")
	for _, name := range []string{"passphrase", "ttl", "recipient"} {
		all = append(all, Field{Name: name, Guarded: true})
	}
	return NamesOf(all)
}

func optional(form Form, names ...string) (all []Field) {
	for _, name := range names {
		all = append(all, Field{Name: name, Form: form})
	}
	return all
}

func required(form Form, names ...string) (all []Field) {
	for _, name := range names {
		all = append(all, Field{Name: name, Form: form, Required: true})
	}
	return all
}

// comparing lets cmp compare the types of this package.
func comparing() cmp.Option {
	return cmp.AllowUnexported(value{}, param{})
}

// wantRefusal checks an error's class and text.
func wantRefusal(t *testing.T, name string, err error, class refusal.Class, text string) {
	t.Helper()
	var f *refusal.Error
	if !errors.As(err, &f) {
		t.Errorf("%s: got error %v, want a refusal", name, err)
		return
	}
	if f.Class != class || f.Text != text {
		t.Errorf("%s: got class %d %q, want class %d %q", name, f.Class, f.Text, class, text)
	}
}

// formOf returns a form that means the same as a source.
func formOf(s source) string {
	var pairs []string
	add := func(name string, v value) {
		pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(v.text))
	}
	for name, p := range s {
		parts, list := splitName(name)
		if parts == nil || p.isEmpty() { // kept as a near miss
			if list {
				name += "[]" // of a list in a list, whose own brackets are not kept
			}
			add(name, value{})
			continue
		}
		base, rest, nested := strings.Cut(name, "[")
		wrapped := "secret[" + base + "]"
		if nested {
			wrapped += "[" + rest
		}
		for _, v := range p.values {
			add(wrapped, v)
		}
		for _, v := range p.items {
			add(wrapped+"[]", v)
		}
		if p.object && !s.hasBelow(name) {
			add(wrapped+"[][x]", value{})
		}
	}
	return strings.Join(pairs, "&")
}

// isEmpty reports whether a form gave a parameter nothing.
func (p *param) isEmpty() bool { return len(p.values) == 0 && !p.list && !p.object }

// hasBelow reports whether a parameter is below a name, which makes an object of it.
func (s source) hasBelow(name string) bool {
	for other := range s {
		if strings.HasPrefix(other, name+"[") {
			return true
		}
	}
	return false
}

// writable reports whether formOf can write a source: its wrapper makes names
// longer, and names that are too long match nothing.
func writable(s source) bool {
	for name := range s {
		if len(name)+len("secret[][][x]") > maxName {
			return false
		}
	}
	return true
}

// shortened returns the beginning of a text.
func shortened(text string, length int) string {
	return text[:min(length, len(text))]
}
