package params

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/routes/refusal"
)

func part(disposition, text string) string {
	return "--b\r\nContent-Disposition: " + disposition + "\r\n\r\n" + text + "\r\n"
}

func TestParseMultipart(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       source
	}{
		{"empty", "", source{}},
		{"no parts", "--b--\r\n", source{}},
		{"values", part(`form-data; name="secret"`, "a\r\nb;+%") + part(`form-data; name="secret[ttl]"`, "60") + "--b--", source{
			"secret": {values: []value{text("a\r\nb;+%")}},
			"ttl":    {values: []value{text("60")}},
		}},
		{"list", part(`form-data; name="recipient[]"`, "a") + part(`form-data; name="recipient[]"`, "b") + "--b--\r\n", source{
			"recipient": {items: []value{text("a"), text("b")}, list: true},
		}},
		{"file", part(`form-data; name="secret"; filename="/x/y"`, "a") + "--b--", source{"secret": {values: []value{text("a")}}}},
	} {
		got, err := testNames().parseMultipart([]byte(test.body), "b")
		if err != nil {
			t.Errorf("parseMultipart(%s): got error %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got, comparing()); diff != "" {
			t.Errorf("parseMultipart(%s): got difference\n%s", test.name, diff)
		}
	}
}

func TestParseMultipartRefusals(t *testing.T) {
	const bad = "the body is not a valid multipart form"
	secret := part(`form-data; name="secret"`, "hunter2")
	for _, test := range []struct {
		name, body, boundary string
		class                refusal.Class
		want                 string
	}{
		{"no boundary", secret, "", refusal.ClassMalformed, bad},
		{"other boundary", secret, "c", refusal.ClassMalformed, bad},
		{"cut off after a part", secret, "b", refusal.ClassMalformed, bad},
		{"cut off in a part", secret[:len(secret)-3], "b", refusal.ClassMalformed, bad},
		{"text", "hunter2", "b", refusal.ClassMalformed, bad},
		{"no name", part(`attachment`, "a") + "--b--", "b", refusal.ClassMalformed, bad},
		{"name that cannot be read", part(`form-data; name=secret[ttl]`, "60") + "--b--", "b", refusal.ClassMalformed, bad},
		{"base64", strings.Replace(secret, "\r\n\r\n", "\r\nContent-Transfer-Encoding: BASE64\r\n\r\n", 1) + "--b--", "b",
			refusal.ClassInvalid, "secret has a transfer encoding"},
		{"many", strings.Repeat(secret, 1001) + "--b--", "b", refusal.ClassInvalid, "there may be at most 1000 parameters"},
	} {
		_, err := testNames().parseMultipart([]byte(test.body), test.boundary)
		wantRefusal(t, fmt.Sprintf("parseMultipart(%s)", test.name), err, test.class, test.want)
	}
}

// FuzzMultipart: accepted input means the same when it is written as a form.
func FuzzMultipart(f *testing.F) {
	f.Add([]byte(part(`form-data; name="secret"`, "a")+"--b--"), "b")
	f.Add([]byte(part(`form-data; name="secret[ttl]"; filename=x`, "\x00\xff")+"--b--"), "b")
	f.Fuzz(func(t *testing.T, body []byte, boundary string) {
		first, err := testNames().parseMultipart(body, boundary)
		if err != nil || !writable(first) {
			return
		}
		second, err := testNames().parseForm(formOf(first))
		if err != nil {
			t.Fatalf("parseForm(%q): got error %v", formOf(first), err)
		}
		if diff := cmp.Diff(first, second, comparing()); diff != "" {
			t.Errorf("parseMultipart(%q) as a form: got difference\n%s", body, diff)
		}
	})
}
