package email

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/vault/refusal"
)

func TestParseRecipients(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", localLimit)
	tests := []struct {
		list []string
		want []string // address, then obscured
	}{
		{nil, nil},
		{[]string{"", " ", ",", " , ,"}, nil},
		{[]string{"friend@example.com"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"  friend@example.com "}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"a@example.com"}, []string{"a@example.com", "a*****@e*****.com"}},
		{[]string{"ab@example.co.uk"}, []string{"ab@example.co.uk", "ab*****@e*****.uk"}},
		{[]string{"Friend@EXAMPLE.com"}, []string{"Friend@example.com", "Fr*****@e*****.com"}},
		{[]string{"x@foo.technology"}, []string{"x@foo.technology", "x*****@f*****.technology"}},
		{[]string{"first.last+tag@example.com"}, []string{"first.last+tag@example.com", "fi*****@e*****.com"}},
		{[]string{"o'neil@example.com"}, []string{"o'neil@example.com", "o'*****@e*****.com"}},
		{[]string{"x@bücher.example"}, []string{"x@xn--bcher-kva.example", "x*****@b*****.example"}},
		{[]string{"x@ücher.example"}, []string{"x@xn--cher-zra.example", "x*****@ü*****.example"}},
		{[]string{"x@ПРИМЕР.испытание"}, []string{"x@xn--e1afmkfd.xn--80akhbyknj4f", "x*****@п*****.испытание"}},
		{[]string{"x@xn--bcher-kva.example"}, []string{"x@xn--bcher-kva.example", "x*****@b*****.example"}},
		{[]string{"jörg@example.com"}, []string{"jörg@example.com", "jö*****@e*****.com"}},
		{[]string{"jo\u0308rg@example.com"}, []string{"jörg@example.com", "jö*****@e*****.com"}},
		{[]string{long + "@example.com"}, []string{long + "@example.com", "aa*****@e*****.com"}},
		{[]string{"Friend <friend@example.com>"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"<friend@example.com>", " <FRIEND@example.com> "}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"friend@example.com <friend@example.com>"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"Jörg B. d'Été (home)<friend@example.com>"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"\"\" <friend@example.com>"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{[]string{"=?utf-8?q?J=C3=B6rg?= <friend@example.com>"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{
			[]string{`"Doe, Jane \"J, \"" <jane@example.com>,"a@example.com," <b@example.com>, c@example.com`},
			[]string{"jane@example.com", "ja*****@e*****.com", "b@example.com", "b*****@e*****.com", "c@example.com", "c*****@e*****.com"},
		},
		{[]string{strings.Repeat("n", namedLimit-21) + " <friend@example.com>"}, []string{"friend@example.com", "fr*****@e*****.com"}},
		{
			[]string{"b@example.com,a@example.com", "c@example.com"},
			[]string{"b@example.com", "b*****@e*****.com", "a@example.com", "a*****@e*****.com", "c@example.com", "c*****@e*****.com"},
		},
		{
			[]string{"Friend@Example.com, friend@example.com", "FRIEND@EXAMPLE.COM"},
			[]string{"Friend@example.com", "Fr*****@e*****.com"},
		},
	}
	for _, test := range tests {
		found, err := ParseRecipients(test.list)
		if err != nil {
			t.Errorf("parseRecipients(%q): got %v, want nil", test.list, err)
		}
		var got []string
		for _, r := range found {
			got = append(got, string(r.Address), r.Obscured)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("parseRecipients(%q): -want +got\n%s", test.list, diff)
		}
	}
}

func TestParseRecipientsRefuses(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("d", 63)
	// 249 bytes of domain; with a local part of 4 the address has 254.
	domain := label + "." + label + "." + label + "." + strings.Repeat("d", 53) + ".com"
	if _, err := ParseRecipients([]string{"abcd@" + domain}); err != nil {
		t.Errorf("parseRecipients(254 bytes): got %v, want nil", err)
	}
	for _, address := range []string{
		"nobody", "@example.com", "nobody@", "a@b@example.com", "nobody@example", "nobody@localhost",
		"nobody@127.0.0.1", "nobody@[127.0.0.1]", "nobody@example.com.", "nobody@.example.com", "nobody@example..com",
		"no body@example.com", "nobody@exa mple.com", "nobody@exam_ple.com", "nobody@-example.com",
		".nobody@example.com", "nobody.@example.com", "no..body@example.com",
		"Nobody", "Nobody <>", "Nobody <nobody>", "Nobody < nobody@example.com>", "Nobody <nobody@example.com", "Nobody nobody@example.com>",
		"Nobody <nobody@example.com>>", "Nobody <<nobody@example.com>>", "<a@example.com> <b@example.com>", "x> <b@example.com>",
		"<nobody@example.com> Nobody", "Nobody <nobody@example.com> (home)", `Nobody <"no body"@example.com>`,
		"No\nbody <nobody@example.com>", "No\u202ebody <nobody@example.com>", "No\xffbody <nobody@example.com>",
		`"Nobody <nobody@example.com>`, `"a@example.com, Nobody <nobody@example.com>`, `"Nobody" <nobody@example.com>"`, `no"body@example.com`, "group: Nobody <nobody@example.com>;",
		strings.Repeat("n", namedLimit-20) + " <nobody@example.com>", "Nobody <" + strings.Repeat("a", 65) + "@example.com>",
		"Nobody <nobody@example>", "Nobody <a@example.com;b@example.com>", `"no body"@example.com`, `"nobody"@example.com`,
		"nobody@example.com (home)", "nobody@example.com; other@example.com", "group: nobody@example.com;",
		"nobody@example.com\r\nBcc: other@example.com", "nobody@example.com\n", "\tnobody@example.com", "no\x00body@example.com",
		"nobody@example.com\u2028", "no\u202ebody@example.com", "no\u200bbody@example.com", "nobody\u00a0@example.com",
		"no\xffbody@example.com", "nobody@example.\xff",
		strings.Repeat("a", 65) + "@example.com", "abcde@" + domain, "nobody@" + strings.Repeat("d", 64) + ".com",
	} {
		_, err := ParseRecipients([]string{"friend@example.com", address})
		refused, ok := errors.AsType[*RecipientError](err)
		if !ok || !errors.Is(err, refusal.ErrInvalid) {
			t.Errorf("parseRecipients(%q): got %v, want a RecipientError", address, err)
			continue
		}
		shown := strings.ToValidUTF8(strings.Trim(address, " "), "\uFFFD")
		if got, want := refused.Error(), "Undeliverable email address: "+shown; got != want {
			t.Errorf("RecipientError.Error(): got %q, want %q", got, want)
		}
		if got := fmt.Sprintf("%v %+v %#v", refused.Address, *refused, *refused); strings.Contains(got, shown) {
			t.Errorf("printing a RecipientError: got %q, want no address", got)
		}
	}
}

func TestParseRecipientsLimit(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range RecipientsLimit {
		list = append(list, fmt.Sprintf("friend%d@example.com", i))
	}
	if found, err := ParseRecipients(append(list, "FRIEND1@example.com")); len(found) != RecipientsLimit || err != nil {
		t.Errorf("parseRecipients(as many as may be): got %d, %v, want %d, nil", len(found), err, RecipientsLimit)
	}
	for _, many := range [][]string{append(list, "other@example.com"), {strings.Join(list, ",") + ",other@example.com"}} {
		invalid, ok := errors.AsType[*refusal.InvalidError](func() error { _, err := ParseRecipients(many); return err }())
		if !ok || invalid.Field != "recipients" {
			t.Errorf("parseRecipients(one too many): got %v, want an InvalidError", invalid)
		}
	}
}

// The attack: get an address into a log by printing what holds it.
func TestRecipientDoesNotPrint(t *testing.T) {
	t.Parallel()
	found, err := ParseRecipients([]string{"friend@example.com"})
	if err != nil {
		t.Fatalf("parseRecipients(friend): got %v, want nil", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, found); strings.Contains(got, "friend") {
			t.Errorf("Sprintf(%q, recipient): got %q, want no address", verb, got)
		}
	}
}

// FuzzParseRecipients: what is accepted is one line of one address, is
// accepted again as it is, and does not stand in its obscured form.
func FuzzParseRecipients(f *testing.F) {
	for _, seed := range []string{"friend@example.com", "a@b.c, x@bücher.example", "<a@b.c>", "A, \"B, C\" <a@b.c>", "a@b\r\n", "a@xn--.com", "@", ",,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := ParseRecipients([]string{text})
		if err != nil {
			if !errors.Is(err, refusal.ErrInvalid) {
				t.Errorf("parseRecipients(%q): got %v, want %v", text, err, refusal.ErrInvalid)
			}
			return
		}
		for _, r := range found {
			address := string(r.Address)
			if len(address) > addressLimit || strings.ContainsFunc(address, unprintable) || strings.Count(address, "@") != 1 {
				t.Errorf("parseRecipients(%q): got %q, want an address", text, address)
			}
			again, err := ParseRecipients([]string{address})
			if err != nil || len(again) != 1 || again[0] != r {
				t.Errorf("parseRecipients(%q): got %v, %v, want the same as before", address, again, err)
			}
			if strings.Contains(r.Obscured, address) {
				t.Errorf("obscured form of %q: got %q, want less of it", address, r.Obscured)
			}
		}
	})
}
