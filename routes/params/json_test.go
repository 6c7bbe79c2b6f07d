package params

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hush/routes/refusal"
)

func TestParseJSON(t *testing.T) {
	for _, test := range []struct {
		body string
		want source
	}{
		{" \r\n", source{}},
		{"{}", source{}},
		{`{"secret":{}}`, source{}},
		{`{"secret":null,"ttl":null}`, source{"secret": {null: true}, "ttl": {null: true}}},
		{`{"brand":{"locale":null}}`, source{"brand": {object: true}, "brand[locale]": {null: true}}},
		{`{"secret":"<a>&\u00e9\ud83d\ude00\\ud800"}`, source{"secret": {values: []value{text(`<a>&é😀\ud800`)}}}},
		{`{"secret":{"secret":"a","ttl":3600.7}}`, source{
			"secret": {values: []value{text("a")}},
			"ttl":    {values: []value{{"3600.7", true}}},
		}},
		{`{"passphrase":123,"continue":true}`, source{
			"passphrase": {values: []value{{"123", true}}},
			"continue":   {values: []value{{"true", true}}},
		}},
		{`{"recipient":["a","b",null]}`, source{"recipient": {items: []value{text("a"), text("b")}, list: true}}},
		{`{"recipient[]":"a"}`, source{"recipient": {items: []value{text("a")}, list: true}}},
		{`{"ttl":[],"kind":{}}`, source{"ttl": {list: true}, "kind": {object: true}}},
		{`{"secret":[]}`, source{"secret": {list: true}}},
		{`{"secret":{"secret":{}}}`, source{"secret": {object: true}}},
		{`{"recipient":[{}]}`, source{"recipient": {object: true, list: true}}},
		{`{"secret":{"character_sets":{"symbols":true}}}`, source{
			"character_sets":          {object: true},
			"character_sets[symbols]": {values: []value{{"true", true}}},
		}},
	} {
		got, err := testNames().parseJSON([]byte(test.body))
		if err != nil {
			t.Errorf("parseJSON(%s): got error %v", test.body, err)
		}
		if diff := cmp.Diff(test.want, got, comparing()); diff != "" {
			t.Errorf("parseJSON(%s): got difference\n%s", test.body, diff)
		}
	}
}

func TestParseJSONRefusals(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1)
	}
	const (
		notJSON   = "the body is not valid JSON"
		notObject = "the body is not a JSON object"
		surrogate = "the body has half of a surrogate pair"
	)
	for _, test := range []struct {
		body  string
		class refusal.Class
		want  string
	}{
		{"hunter2", refusal.ClassMalformed, notJSON},
		{`{"secret":"a"`, refusal.ClassMalformed, notJSON},
		{`{"secret":"a",}`, refusal.ClassMalformed, notJSON},
		{`{"secret" "a"}`, refusal.ClassMalformed, notJSON},
		{`{"secret":"a"}}`, refusal.ClassMalformed, notJSON},
		{`{"secret":"a"} {}`, refusal.ClassMalformed, notJSON},
		{`{"secret":["a" "b"]}`, refusal.ClassMalformed, notJSON},
		{`{"secret":01}`, refusal.ClassMalformed, notJSON},
		{"{\"secret\":\"a\nb\"}", refusal.ClassMalformed, notJSON},
		{`[]`, refusal.ClassMalformed, notObject},
		{`null`, refusal.ClassMalformed, notObject},
		{`"hunter2"`, refusal.ClassMalformed, notObject},
		{"{\"secret\":\"\xff\"}", refusal.ClassMalformed, "the body is not valid UTF-8"},
		{`{"secret":"\ud800"}`, refusal.ClassMalformed, surrogate},
		{`{"secret":"\udc00\ud800"}`, refusal.ClassMalformed, surrogate},
		{`{"secret":"\ud800\\udc00"}`, refusal.ClassMalformed, surrogate},
		{`{"secret":"a","secret":"b"}`, refusal.ClassInvalid, "secret was given more than once"},
		{`{"hunter2":1,"hunter2":2}`, refusal.ClassInvalid, "a parameter was given more than once"},
		{deep(17), refusal.ClassInvalid, "a JSON body may be nested at most 16 deep"},
		{strings.Repeat(`{"a":`, 100_000), refusal.ClassInvalid, "a JSON body may be nested at most 16 deep"},
		{`{"a":[` + strings.Repeat("1,", 1000) + `1]}`, refusal.ClassInvalid, "a JSON body may have at most 1000 tokens"},
	} {
		_, err := testNames().parseJSON([]byte(test.body))
		wantRefusal(t, "parseJSON("+shortened(test.body, 30)+")", err, test.class, test.want)
	}
	if _, err := testNames().parseJSON([]byte(deep(16))); err != nil {
		t.Errorf("parseJSON(16 deep): got error %v", err)
	}
}

// FuzzJSON: accepted input is JSON for the standard library, too, and means the
// same as the form with its pairs.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"secret":{"secret":"a","recipient":["b"]},"ttl":1e3}`, `{"a":{"":[[]]}}`, `{"a[":{"b]":1}}`,
		`{"secret":"\ud83d\ude00","a":false}`, `{"secret[]":{"x":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		first, err := testNames().parseJSON(body)
		if err != nil || len(bytes.TrimSpace(body)) == 0 || !writable(first) {
			return
		}
		if !json.Valid(body) || !utf8.Valid(body) {
			t.Fatalf("parseJSON(%q): got no error, want one", body)
		}
		second, err := testNames().parseForm(formOf(first))
		if err != nil {
			t.Fatalf("parseForm(%q): got error %v", formOf(first), err)
		}
		if diff := cmp.Diff(texts(first), texts(second)); diff != "" {
			t.Errorf("parseJSON(%q) as a form: got difference\n%s", body, diff)
		}
	})
}

// FuzzFlatJSON: an object of texts means the same as the form of the same
// names.
func FuzzFlatJSON(f *testing.F) {
	f.Add("secret", "a", "ttl", "60")
	f.Add("secret[ttl]", "a;b&c", "recipient[]", "%")
	f.Fuzz(func(t *testing.T, name1, text1, name2, text2 string) {
		object := map[string]string{name1: text1, name2: text2}
		for _, s := range []string{name1, text1, name2, text2} {
			if !utf8.ValidString(s) {
				return
			}
		}
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatalf("encoding object: %v", err)
		}
		fromJSON, err := testNames().parseJSON(body)
		if err != nil {
			t.Fatalf("parseJSON(%s): got error %v", body, err)
		}
		form := url.Values{}
		for name, text := range object {
			form.Set(name, text)
		}
		fromForm, err := testNames().parseForm(form.Encode())
		if err != nil {
			t.Fatalf("parseForm(%s): got error %v", form.Encode(), err)
		}
		if diff := cmp.Diff(counts(fromForm), counts(fromJSON)); diff != "" {
			t.Errorf("form %q against JSON %s: got difference\n%s", form.Encode(), body, diff)
		}
	})
}

// texts returns all values by name, without what a form cannot express.
func texts(s source) map[string][]string {
	all := make(map[string][]string)
	for name, p := range s {
		for _, v := range append(append([]value{}, p.values...), p.items...) {
			all[name] = append(all[name], v.text)
		}
	}
	return all
}

// counts returns all values by name, in any order: the order of a form is its
// writer's.
func counts(s source) map[string]map[string]int {
	all := make(map[string]map[string]int)
	for name, list := range texts(s) {
		all[name] = make(map[string]int)
		for _, text := range list {
			all[name][text]++
		}
	}
	return all
}
