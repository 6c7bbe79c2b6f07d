package params

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/refusal"
)

func mustParams(t *testing.T, body, query string) Params {
	t.Helper()
	return Params{names: testNames(), body: mustForm(t, body), query: mustForm(t, query)}
}

func mustForm(t *testing.T, text string) source {
	t.Helper()
	s, err := testNames().parseForm(text)
	if err != nil {
		t.Fatalf("parseForm(%q): got error %v", text, err)
	}
	return s
}

func TestParamsText(t *testing.T) {
	for _, test := range []struct {
		body, query string
		want        string
		refusal     string
	}{
		{"", "", "", ""},
		{"ttl=1", "", "1", ""},
		{"", "ttl=2", "2", ""},
		{"ttl=1", "ttl=2", "1", ""},
		{"ttl=", "ttl=2", "2", ""},
		{"secret[ttl]=1", "ttl=2", "1", ""},
		{"ttl=1&ttl=1", "", "", "ttl was given more than once"},
		{"ttl=1&secret[ttl]=2", "", "", "ttl was given more than once"},
		{"ttl=1", "ttl=2&ttl=3", "", "ttl was given more than once"},
		{"ttl[]=1", "", "", "ttl must be a single value"},
		{"ttl[x]=1", "", "", "ttl must be a single value"},
		{"ttl=%ff", "", "", "ttl is not valid UTF-8"},
		{"other=%ff&other=2", "ttl=2", "2", ""},
	} {
		got, err := mustParams(t, test.body, test.query).Text("ttl")
		if test.refusal != "" {
			wantRefusal(t, "text("+test.body+")", err, refusal.ClassInvalid, test.refusal)
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("text(%q, %q): got %q, %v, want %q", test.body, test.query, got, err, test.want)
		}
	}
}

func TestParamsList(t *testing.T) {
	for _, test := range []struct {
		body, query string
		want        []string
	}{
		{"", "", nil},
		{"recipient=", "recipient[]=", nil},
		{"recipient=a", "", []string{"a"}},
		{"recipient[]=a&recipient[]=&recipient[]=b", "recipient=c", []string{"a", "b"}},
		{"recipient=", "recipient=c", []string{"c"}},
		{"secret[recipient][]=a", "", []string{"a"}},
	} {
		got, err := mustParams(t, test.body, test.query).list("recipient")
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("list(%q, %q): got %q, %v, want %q", test.body, test.query, got, err, test.want)
		}
	}
	_, err := mustParams(t, "recipient[x]=a", "").list("recipient")
	wantRefusal(t, "list(object)", err, refusal.ClassInvalid, "recipient must be text or a list of texts")
	_, err = mustParams(t, "recipient[]=%fe", "").list("recipient")
	wantRefusal(t, "list(not UTF-8)", err, refusal.ClassInvalid, "recipient is not valid UTF-8")
}

func TestParamsFlag(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "1": true, "false": false, "0": false, "": false} {
		got, err := mustParams(t, "x="+text, "").flag("x")
		if err != nil || got != want {
			t.Errorf("flag(%q): got %v, %v, want %v", text, got, err, want)
		}
	}
	_, err := mustParams(t, "x=yes", "").flag("x")
	wantRefusal(t, "flag(yes)", err, refusal.ClassInvalid, "x must be true or false")
}

func mustJSONParams(t *testing.T, body string) Params {
	t.Helper()
	s, err := testNames().parseJSON([]byte(body))
	if err != nil {
		t.Fatalf("parseJSON(%s): got error %v", body, err)
	}
	return Params{names: testNames(), body: s}
}

// Absent, empty, null and an object are four different things.
func TestParamsPresence(t *testing.T) {
	for body, want := range map[string]struct {
		text         string // - for none
		null, object bool
	}{
		`{}`:                {"-", false, false},
		`{"x":""}`:          {"", false, false},
		`{"x":"a"}`:         {"a", false, false},
		`{"x":false}`:       {"false", false, false},
		`{"x":null}`:        {"-", true, false},
		`{"secret":{}}`:     {"-", false, false},
		`{"x[y]":null}`:     {"-", false, true},
		`{"x[]":null}`:      {"-", false, false},
		`{"secret[x]":"a"}`: {"a", false, false},
	} {
		p := mustJSONParams(t, body)
		text := "-"
		if !want.object {
			got, err := p.Optional("x")
			if err != nil {
				t.Errorf("optional(%s): got error %v", body, err)
			}
			if got != nil {
				text = *got
			}
		}
		if text != want.text || p.IsNull("x") != want.null || p.IsObject("x") != want.object {
			t.Errorf("%s: got %q, null %v, object %v, want %+v", body, text, p.IsNull("x"), p.IsObject("x"), want)
		}
	}
	for _, body := range []string{`{"x":{}}`, `{"x":{"y":1}}`} {
		if p := mustJSONParams(t, body); !p.IsObject("x") {
			t.Errorf("isObject(%s): got false, want true", body)
		}
	}
	if got, err := mustParams(t, "", "x=q").Optional("x"); err != nil || got == nil || *got != "q" {
		t.Errorf("optional(query): got %v, %v, want q", got, err)
	}
	_, err := mustParams(t, "x=1&x=2", "").Optional("x")
	wantRefusal(t, "optional(twice)", err, refusal.ClassInvalid, "x was given more than once")
}

// A file is bytes; a query has none. Of several names, the first file counts.
func TestParamsFile(t *testing.T) {
	file := func(p Params) (string, error) {
		var fields []Field
		for _, name := range []string{"logo", "image", "icon"} {
			fields = append(fields, Field{Name: name, Form: FormFile, Becomes: "content"})
		}
		message := new(hushv1.UpdateDomainLogoRequest)
		err := filled(t, p, message, fields)
		return string(message.GetContent()), err
	}
	for _, test := range []struct{ body, query, want string }{
		{"", "", ""},
		{"logo=%ff%00%89PNG", "", "\xff\x00\x89PNG"},
		{"image=b&icon=c", "", "b"},
		{"icon=c", "logo=q", "c"},
		{"logo=&image=b", "", "b"},
		{"logo[]=a", "", ""},
		{"", "logo=q", ""},
	} {
		got, err := file(mustParams(t, test.body, test.query))
		if err != nil || got != test.want {
			t.Errorf("file(%q, %q): got %q, %v, want %q", test.body, test.query, got, err, test.want)
		}
	}
	_, err := file(mustParams(t, "image=a&image=b", ""))
	wantRefusal(t, "file(twice)", err, refusal.ClassInvalid, "image was given more than once")
}

func TestParamsOthers(t *testing.T) {
	got, err := mustParams(t, "a=1&b=&payload=x&n[m]=2", "a=3&c=4&shrimp=y").Others("payload", "shrimp", "n")
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "", "c": "4", "n[m]": "2"}, got); diff != "" || err != nil {
		t.Errorf("others(): got error %v and difference\n%s", err, diff)
	}
	got, err = mustJSONParams(t, `{"a":null,"b":1}`).Others()
	if diff := cmp.Diff(map[string]string{"b": "1"}, got); diff != "" || err != nil {
		t.Errorf("others(null): got error %v and difference\n%s", err, diff)
	}
	for body, want := range map[string]string{
		"hunter2=1&hunter2=2": "a parameter must be a single text",
		"hunter2[]=1":         "a parameter must be a single text",
		"hunter2=%ff":         "a parameter must be a single text",
		"msg=%ff":             "msg must be a single text",
	} {
		_, err := mustParams(t, body, "").Others()
		wantRefusal(t, "others("+body+")", err, refusal.ClassInvalid, want)
	}
}

// A decoder that reads a parameter that its route does not declare must fail;
// otherwise the declaration would be worthless.
func TestParamsOnly(t *testing.T) {
	p := mustParams(t, "a=1&b=2&c[]=3", "")
	limited := p.Only(required(FormText, "a"))
	if got, err := limited.Text("a"); got != "1" || err != nil {
		t.Errorf("Text(a): got %q, %v, want 1", got, err)
	}
	for name, read := range map[string]func() error{
		"Text":     func() error { _, err := limited.Text("b"); return err },
		"Spoken":   func() error { _, err := limited.spoken("b"); return err },
		"Verbatim": func() error { _, err := limited.verbatim("b"); return err },
		"Optional": func() error { _, err := limited.Optional("b"); return err },
		"List":     func() error { _, err := limited.list("c"); return err },
		"Keys":     func() error { _, err := limited.keys("c"); return err },
		"Flag":     func() error { _, err := limited.flag("b"); return err },
		"Duration": func() error { _, err := limited.duration("b"); return err },
		"File":     func() error { _, err := limited.file("b"); return err },
		"Others":   func() error { _, err := limited.Others("a"); return err },
	} {
		var refused *refusal.Error
		if err := read(); err == nil || errors.As(err, &refused) && name != "Others" {
			t.Errorf("%s of an undeclared parameter: got %v, want an internal error", name, err)
		}
	}
	if got, err := p.Only(optional(FormText, AnyName)).Others("a", "c"); err != nil || len(got) != 1 {
		t.Errorf("Others(a, c) of any name: got %v, %v, want b", got, err)
	}
}
