package params

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/routes/refusal"
)

func text(t string) value { return value{text: t} }

func TestParseForm(t *testing.T) {
	one := func(name, v string) source { return source{name: {values: []value{text(v)}}} }
	for _, test := range []struct {
		form string
		want source
	}{
		{"", source{}},
		{"&&", source{}},
		{"secret=a", one("secret", "a")},
		{"secret", one("secret", "")},
		{"secret=a=b", one("secret", "a=b")},
		{"secret=a;b", one("secret", "a;b")},
		{"secret=a+b%2B%20%00", one("secret", "a b+ \x00")},
		{"secret[ttl]=60", one("ttl", "60")},
		{"secret%5Bttl%5D=60", one("ttl", "60")},
		{"secret[secret]=a", one("secret", "a")},
		{"recipient[]=a", source{"recipient": {items: []value{text("a")}, list: true}}},
		{"secret[recipient][]=a&recipient=b", source{"recipient": {
			items: []value{text("a")}, values: []value{text("b")}, list: true}}},
		{"ttl=1&secret[ttl]=2", source{"ttl": {values: []value{text("1"), text("2")}}}},
		{"secret[character_sets][numbers]=true", source{
			"character_sets":          {object: true},
			"character_sets[numbers]": {values: []value{text("true")}},
		}},
		{"secret[]=a", source{"secret": {items: []value{text("a")}, list: true}}},
		{"recipient[][x]=a", source{"recipient": {object: true}}},
		{"ttl[a][b][c][d][e]=1", source{"ttl": {object: true}, "ttl[a]": {object: true}, "ttl[a][b]": {object: true}}},
		{"=a&[x]=b&a[b=c&a]b=d&a[b]c=e&a[[b]]=f", source{}},
	} {
		got, err := testNames().parseForm(test.form)
		if err != nil {
			t.Errorf("parseForm(%q): got error %v", test.form, err)
		}
		if diff := cmp.Diff(test.want, got, comparing()); diff != "" {
			t.Errorf("parseForm(%q): got difference\n%s", test.form, diff)
		}
	}
}

func TestParseFormRefusals(t *testing.T) {
	for _, test := range []struct{ form, want string }{
		{"secret=%zz", "secret is not properly percent-encoded"},
		{"secret=50%", "secret is not properly percent-encoded"},
		{"secret[passphrase]=%a", "passphrase is not properly percent-encoded"},
		{"hunter2=%zz", "a parameter is not properly percent-encoded"},
		{"hunter%zz=2", "a parameter is not properly percent-encoded"},
		{strings.Repeat("a=b&", 1001), "there may be at most 1000 parameters"},
	} {
		_, err := testNames().parseForm(test.form)
		wantRefusal(t, "parseForm("+shortened(test.form, 20)+")", err, refusal.ClassInvalid, test.want)
	}
	if _, err := testNames().parseForm(strings.Repeat("a=b&", 1000)); err != nil {
		t.Errorf("parseForm(1000 pairs): got error %v", err)
	}
}

// Long names are cheap: a body may be one long name, and each of its brackets
// would be a parameter.
func TestLongNames(t *testing.T) {
	deep := "a" + strings.Repeat("[a]", MaxBody/3-1)
	s, err := testNames().parseForm(deep + "=1&ttl=60")
	if err != nil || len(s) != 1 {
		t.Errorf("parseForm(long name): got %d parameters, error %v, want ttl alone", len(s), err)
	}
	long := strings.Repeat("a", 1<<20)
	s, err = testNames().parseJSON([]byte(`{"` + long + `":{"b":[{"` + long + `":1}],"c":{}},"ttl":60}`))
	if err != nil || len(s) != 1 {
		t.Errorf("parseJSON(long names): got %d parameters, error %v, want ttl alone", len(s), err)
	}
}

// FuzzForm: accepted input means the same when it is written again.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"secret=a+b&ttl=60", "secret[ttl]=1;2&recipient[]=x", "a[b][c]=%00&a[]=&[]=", "secret[][x]=1",
		"secret[secret][secret]=2&secret[secret][]", "%5B%5D=%ff", "tt[0]", "tt[][x]", "tl[][]", "tl][]", "ttll[a][][b]=1", "recipent[a][b][c][d][e]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, form string) {
		first, err := testNames().parseForm(form)
		if err != nil || !writable(first) {
			return
		}
		second, err := testNames().parseForm(formOf(first))
		if err != nil {
			t.Fatalf("parseForm(%q): got error %v", formOf(first), err)
		}
		if diff := cmp.Diff(first, second, comparing()); diff != "" {
			t.Errorf("parseForm(%q) written again: got difference\n%s", form, diff)
		}
	})
}

// What & cuts off a value that a route reads is refused by the name of its parameter.
// Other text without a name goes on: addresses often have some.
func TestQueriesAreWhole(t *testing.T) {
	const advice = `: in a value, write "&" as %26 (curl: --data-urlencode)`
	fields := slices.Concat(required(FormText, "secret"), optional(FormText, "passphrase", "brand[name]"), optional(FormTexts, "recipient"), optional(FormDuration, "ttl"))
	for query, want := range map[string]string{
		"secret=p&ssw0rd":                    `"&" and text without "=" come after secret` + advice,
		"secret=p&&ssw0rd":                   `"&" and text without "=" come after secret` + advice,
		"secret=&ssw0rd&ttl=60":              `"&" and text without "=" come after secret` + advice,
		"secret=abc&passphrase=tom&jerry-94": `"&" and text without "=" come after passphrase` + advice,
		"secret[passphrase]=tom&%6aerry":     `"&" and text without "=" come after passphrase` + advice,
		"recipient[]=tom&jerry":              `"&" and text without "=" come after recipient` + advice,
		"brand[name]=tom&jerry":              `"&" and text without "=" come after brand` + advice,
		"fbclid":                             "",
		"utm_source=a&fbclid":                "",
		"secret=a&utm_source=a&fbclid":       "",
		"secret=a&ttl=60&fbclid":             "",
		"secret=a&passphrase&continue":       "",
		"memo=a&fbclid":                      "",
		"secret=p%26ssw0rd&":                 "",
	} {
		p, err := testNames().Read(httptest.NewRequest(http.MethodPost, "/?"+query, nil), MaxBody)
		if err == nil {
			err = p.Only(fields).CutOff()
		}
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("CutOff(%q): got %v, want %q", query, err, want)
		}
		if err := p.Only(nil).CutOff(); err != nil {
			t.Errorf("CutOff(%q) of a route without parameters: got %v, want none", query, err)
		}
		if err := p.Only(optional(FormText, AnyName)).CutOff(); (err != nil) != (len(p.cut) > 0) {
			t.Errorf("CutOff(%q) of a route with all parameters: got %v, want one for each of %q", query, err, p.cut)
		}
	}
}

// What & cuts off a value is refused, and the refusal repeats none of it.
func TestFormBodiesAreWhole(t *testing.T) {
	const advice = `: in a value, write "&" as %26 (curl: --data-urlencode)`
	for body, want := range map[string]string{
		"secret=x&passphrase=tom&jerry-9471":   `"&" and text without "=" come after passphrase` + advice,
		"secret=p&ssw0rd":                      `"&" and text without "=" come after secret` + advice,
		"secret[secret]=p&ssw0rd":              `"&" and text without "=" come after secret` + advice,
		"other=1&ssw0rd":                       `"&" and text without "=" come after a parameter` + advice,
		"ssw0rd":                               `the body begins with text without "="` + advice,
		"secret=x&%zz":                         `"&" and text without "=" come after secret` + advice,
		"secret=x&%70assphras":                 `"&" and text without "=" come after secret` + advice,
		`{"secret":"x"}`:                       "the body is a form, but looks like JSON, whose Content-Type is application/json",
		"\r\n {\"secret\":\"a=b\",\"ttl\":60}": "the body is a form, but looks like JSON, whose Content-Type is application/json",
		"--b\r\nContent-Disposition: form-data; name=\"passphrase\"\r\n\r\nhunter2\r\n--b--\r\n": "the body is a form, but looks like multipart, whose Content-Type is multipart/form-data with its boundary",
		"\r\n--b\ncontent-disposition: form-data; name=ttl\n\n60\n--b--":                         "the body is a form, but looks like multipart, whose Content-Type is multipart/form-data with its boundary",
		"secret=x&\nttl=60":                              "the name of a parameter has a line break: the body may have another Content-Type than application/x-www-form-urlencoded",
		"secret=x&%0D%0Attl=60":                          "the name of a parameter has a line break: the body may have another Content-Type than application/x-www-form-urlencoded",
		"secret=a\nb%0Ac&ttl=1":                          "",
		"secret=--b%0D%0AContent-Disposition: form-data": "",
		"--b=1":                                    "",
		"secret=x&&ttl=60&":                        "",
		"secret=x&other=&another=1":                "",
		"secret=x&passphrase":                      "",
		"secret=x&secret[kind]&continue":           "",
		"secret=%7B%22a%22%3A1%7D&passphrase=a%26": "",
		"secret=a=b":                               "",
		"":                                         "",
	} {
		_, err := testNames().parseFormBody(body)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("parseFormBody(%q): got %v, want %q", body, err, want)
		}
	}
}
