package routes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParams(t *testing.T, body, query string) params {
	t.Helper()
	var p params
	for i, form := range []string{body, query} {
		s, err := parseForm(form)
		if err != nil {
			t.Fatalf("parseForm(%q): got error %v", form, err)
		}
		p[i] = s
	}
	return p
}

func TestParamsText(t *testing.T) {
	for _, test := range []struct {
		body, query string
		want        string
		fault       string
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
		got, err := mustParams(t, test.body, test.query).text("ttl")
		if test.fault != "" {
			wantFault(t, "text("+test.body+")", err, classInvalid, test.fault)
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
	wantFault(t, "list(object)", err, classInvalid, "recipient must be text or a list of texts")
	_, err = mustParams(t, "recipient[]=%fe", "").list("recipient")
	wantFault(t, "list(not UTF-8)", err, classInvalid, "recipient is not valid UTF-8")
}

func TestParamsFlag(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "1": true, "false": false, "0": false, "": false} {
		got, err := mustParams(t, "x="+text, "").flag("x")
		if err != nil || got != want {
			t.Errorf("flag(%q): got %v, %v, want %v", text, got, err, want)
		}
	}
	_, err := mustParams(t, "x=yes", "").flag("x")
	wantFault(t, "flag(yes)", err, classInvalid, "x must be true or false")
}
