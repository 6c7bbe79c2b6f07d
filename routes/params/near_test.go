package params

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hush/routes/refusal"
)

// guarded declares every parameter whose near misses are refused.
func guards() []Field { return optional(FormText, "passphrase", "ttl", "recipient") }

// Each of these once shared a secret with no passphrase, for the usual lifetime, or
// mailed to no one.
func TestNearMisses(t *testing.T) {
	for meant, names := range map[string][]string{
		"passphrase": {
			"Passphrase", "passPhrase", "PASSPHRASE", "pass_phrase", "pass-phrase", "pass.phrase", "pass phrase", "passphrase ", "_passphrase",
			"passphrse", "pasphrase", "passprhase", "passphase", "passhprase", "passfrase", "pashrase", "passphrases", "passphrase2", "pässphrase",
			"passphrase:x", "passphrase[", "passphrase]", "[passphrase]", "secret[passphrase", "secret[passphrse",
		},
		"ttl":       {"TTL", "Ttl", "tll", "tt", "tl", "ttll", "tlt", "ttls", "t_t_l", "ttl ", "ttl_s", "secret[ttl"},
		"recipient": {"Recipient", "recipients", "recipents", "reciepient", "receipient", "recpient", "recipeint", "re_cipient", "recipient_1", "recipient]"},
	} {
		for _, name := range names {
			want := `There is no parameter "` + name + `". Did you mean ` + meant + `?`
			s := make(source)
			testNames().add(s, name, value{text: "hunter2"})
			for _, p := range []Params{{names: testNames(), body: s}, {names: testNames(), query: s}} {
				wantRefusal(t, "NearMiss("+name+")", p.Only(guards()).NearMiss(), refusal.ClassInvalid, want)
			}
		}
	}
}

// A name is taken out of its wrapper and of its list, in every form of a body.
func TestNearMissForms(t *testing.T) {
	const want = `There is no parameter "passphrse". Did you mean passphrase?`
	for _, body := range []string{
		"passphrse=a", "passphrse", "passphrse[0]=a", "secret[passphrse]=a", "secret=a&passphrse[]=b", "passphrse[x]=a", "passphrse=%ff", "passphrse=a&passphrse=b",
	} {
		wantRefusal(t, "NearMiss("+body+")", mustParams(t, body, "").Only(guards()).NearMiss(), refusal.ClassInvalid, want)
		wantRefusal(t, "NearMiss(?"+body+")", mustParams(t, "", body).Only(guards()).NearMiss(), refusal.ClassInvalid, want)
	}
	for _, body := range []string{
		`{"passphrse":"a"}`, `{"secret":{"secret":"a","passphrse":"b"}}`, `{"passphrse":null}`, `{"passphrse":["a"]}`, `{"passphrse":[]}`, `{"passphrse":{}}`,
		`{"passphrse":{"x":1}}`, `{"secret[passphrse]":1}`, `{"passphrase":"a","passphrse":"b"}`,
	} {
		wantRefusal(t, "NearMiss("+body+")", mustJSONParams(t, body).Only(guards()).NearMiss(), refusal.ClassInvalid, want)
	}
	files, err := testNames().parseMultipart([]byte(part(`form-data; name="passphrse"; filename="a"`, "hunter2")+"--b--"), "b")
	if err != nil {
		t.Fatalf("parseMultipart(): got error %v", err)
	}
	wantRefusal(t, "NearMiss(multipart)", Params{names: testNames(), body: files}.Only(guards()).NearMiss(), refusal.ClassInvalid, want)
	for range 20 { // the order of a map is chance
		p := mustParams(t, "tll=1&recipients=2&Passphrase=3", "TTL=4")
		wantRefusal(t, "NearMiss(several)", p.Only(guards()).NearMiss(), refusal.ClassInvalid, `There is no parameter "Passphrase". Did you mean passphrase?`)
	}
}

// What people and clients send beyond the parameters of a route, and what no
// route reads at all, is no near miss.
func TestNoNearMisses(t *testing.T) {
	sent := []string{
		// Clients in the field, some of which send back what they received.
		"secret", "secret[secret]", "ttl", "secret[ttl]", "passphrase", "secret[passphrase]", "recipient", "recipient[]", "secret[recipient]", "secret[recipient][]",
		"share_domain", "kind", "continue", "shrimp", "token", "locale", "tz", "key", "SECRET_KEY", "METADATA_KEY", "secret_key", "metadata_key", "custid",
		"metadata_ttl", "secret_ttl", "receipt_ttl", "realttl", "secret_realttl", "default_ttl", "ttl_options", "ttlLeft", "ttl_label", "ttl_left",
		"passphrase_required", "has_passphrase", "hasPassphrase", "correct_passphrase", "failed_passphrase", "passphrase_encryption", "passphrase_hint",
		"recipient_safe", "recipient_name", "show_recipients", "email_recipient", "incoming_recipient", "receipt", "receipts", "identifier", "identifiers",
		"length", "character_sets[numbers]", "character_sets[exclude_ambiguous]", "memo", "state", "value", "created", "updated", "received", "view_count",
		"authenticity_payload", "encoding", "u", "p", "ticketno", "skill", "planid",
		// Words that look or sound alike.
		"title", "html", "url", "to", "id", "type", "text", "total", "t", "tls", "utm_source", "password", "pass", "phrase", "recipe", "recent", "reception",
		"expires", "lifetime", "email", "", "[", "]", "[]", "secret[]", "secret[", "=", "{\"passphrase\":\"hunter2\"}", strings.Repeat("ttl", 100),
		"data[title]", "details.metadata_ttl", "record[has_passphrase]", "amp;secret", "secrets[secret]", "metadata[secret_ttl]",
	}
	for _, name := range slices.AppendSeq(sent, maps.Keys(testNames().bases)) {
		s := make(source)
		testNames().add(s, name, value{text: "x"})
		for _, p := range []Params{{names: testNames(), body: s}, {names: testNames(), query: s}} {
			if err := p.Only(guards()).NearMiss(); err != nil {
				t.Errorf("NearMiss(%.60q): got error %v, want none", name, err)
			}
		}
	}
}

// A route refuses the near misses of what it takes, and no others.
func TestNearMissesOfARoute(t *testing.T) {
	p := mustParams(t, "tll=1", "")
	for _, fields := range [][]Field{nil, optional(FormText, "passphrase", "recipient"), optional(FormText, AnyName), optional(FormText, "tall")} {
		if err := p.Only(fields).NearMiss(); err != nil {
			t.Errorf("NearMiss(%v): got error %v, want none", fields, err)
		}
	}
	wantRefusal(t, "NearMiss(ttl)", p.Only(optional(FormDuration, "ttl")).NearMiss(), refusal.ClassInvalid, `There is no parameter "tll". Did you mean ttl?`)
}

// A name is shown in one line of valid text, whatever is in it.
func TestNearMissIsQuoted(t *testing.T) {
	for name, want := range map[string]string{
		"passphrase\x00": `"passphrase\x00"`, "passphrase\n": `"passphrase\n"`, "passphrase\xff": `"passphrase\xff"`, "passphrase\u202e": `"passphrase\u202e"`,
	} {
		s := make(source)
		testNames().add(s, name, value{})
		wantRefusal(t, "NearMiss("+want+")", Params{names: testNames(), body: s}.Only(guards()).NearMiss(), refusal.ClassInvalid,
			"There is no parameter "+want+". Did you mean passphrase?")
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"ttl", "ttl", 0}, {"ttl", "", 3}, {"", "ttl", 3},
		{"tll", "ttl", 1}, {"tt", "ttl", 1}, {"tlt", "ttl", 1}, {"attl", "ttl", 1}, {"ltt", "ttl", 2},
		{"title", "ttl", 2}, {"passprhase", "passphrase", 1}, {"pssaphrase", "passphrase", 2}, {"password", "passphrase", 5},
		{"äß", "ab", 2},
	} {
		if got := distance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("distance(%q, %q): got %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance([]rune(test.b), []rune(test.a)); got != test.want {
			t.Errorf("distance(%q, %q): got %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

// The attack: the restriction stands under a name that only a misspelt wrapper, a
// dot or an escaped & keeps from being read, or below a name that no route reads.
func TestLostRestrictions(t *testing.T) {
	for body, sent := range map[string]string{
		"secert[passphrase]": "secert[passphrase]", "secrets[passphrase]": "secrets[passphrase]", "Secret[passphrase]": "Secret[passphrase]",
		"secret.passphrase": "secret.passphrase", "secret.[passphrase]": "secret.[passphrase]", "secret][passphrase]": "secret][passphrase]",
		"secert[passphrse]": "secert[passphrse]", "amp;passphrase": "…;passphrase", "secret[amp;passphrase]": "…;passphrase", "data[passphrase]": "…[passphrase]",
		"secret[data][passphrase]": "…[passphrase]", "data[passphrase][x]": "…[passphrase]", "data[][passphrase][x]": "…[passphrase]…", "a[b][c][d][passphrase]": "…[passphrase]", "data[][passphrase]": "…[passphrase]",
		"secret[][passphrase]": "secret[][passphrase]", "secret[secret][passphrase]": "secret[secret][passphrase]", "secret[pass][phrase]": "pass[phrase]", "passphrase.x": "passphrase.…",
		strings.Repeat("x", 300) + "[passphrase]": "…[passphrase]", strings.Repeat("x.", 5000) + "passphrase": "….passphrase",
	} {
		want := `There is no parameter "` + sent + `". Did you mean passphrase?`
		form := strings.ReplaceAll(body, ";", "%3B") + "=hunter2"
		wantRefusal(t, "NearMiss("+shortened(body, 40)+")", mustParams(t, form, "").Only(guards()).NearMiss(), refusal.ClassInvalid, want)
		wantRefusal(t, "NearMiss(?"+shortened(body, 40)+")", mustParams(t, "", form).Only(guards()).NearMiss(), refusal.ClassInvalid, want)
	}
	for body, sent := range map[string]string{
		`{"secrets":{"passphrase":"hunter2","ttl":60}}`: "secrets[passphrase]", `{"secret":{"secret":"a"},"data":{"passphrase":"hunter2"}}`: "…[passphrase]",
		`{"data":{"passphrase":null}}`: "…[passphrase]", `{"data":[{"passphrase":"hunter2"}]}`: "…[passphrase]", `{"data":{"passphrase":[]}}`: "…[passphrase]",
		`{"` + strings.Repeat("x", 250) + `":{"passphrase":"hunter2"}}`: "[[passphrase]", `{"` + strings.Repeat("x", 300) + `":{"passphrase":"hunter2"}}`: "[[passphrase]",
		strings.Repeat(`{"a":`, 15) + `{"passphrase":"hunter2"}` + strings.Repeat("}", 15): "…[passphrase]",
	} {
		want := `There is no parameter "` + sent + `". Did you mean passphrase?`
		wantRefusal(t, "NearMiss("+shortened(body, 40)+")", mustJSONParams(t, body).Only(guards()).NearMiss(), refusal.ClassInvalid, want)
	}
	// A decoder refuses these itself.
	for _, body := range []string{"passphrase[x]=a", "secret[passphrase][ttl]=a", "recipient[][ttl]=a", "passphrase[x][y][z]=a"} {
		if err := mustParams(t, body, "").Only(guards()).NearMiss(); err != nil {
			t.Errorf("NearMiss(%s): got error %v, want none", body, err)
		}
	}
}

// What separates letters does not count, however much there is of it, and the
// refusal does not repeat it all.
func TestLongNearMisses(t *testing.T) {
	fill := strings.Repeat("_", 300)
	for name, shown := range map[string]string{
		"passphrase" + fill: "passphrase" + fill[:54] + "…", fill + "passphrase": fill[:64] + "…", "secret[passphrase" + fill + "]": "secret[passphrase" + fill[:47] + "…",
		"pass" + fill + "phrase": "pass" + fill[:60] + "…", strings.Repeat("_", 63) + "äpassphrase": strings.Repeat("_", 63) + "…",
	} {
		want := `There is no parameter "` + shown + `". Did you mean passphrase?`
		wantRefusal(t, "NearMiss("+shortened(name, 40)+")", mustParams(t, name+"=x", "").Only(guards()).NearMiss(), refusal.ClassInvalid, want)
	}
	for _, body := range []string{`{"passphrase` + fill + `":"x"}`, `{"secret":{"passphrase` + fill + `":"x"}}`} {
		if err := mustJSONParams(t, body).Only(guards()).NearMiss(); err == nil {
			t.Errorf("NearMiss(%s): got no error, want one", shortened(body, 40))
		}
	}
}

// manyNames returns parameters with as many names as a form may have, some of them
// as long as a guard.
func manyNames() Params {
	s := make(source)
	for i := range maxParams {
		testNames().add(s, []string{"memo", "character", "title.", "parameters", "metadata_ttl_"}[i%5]+strconv.Itoa(i), value{text: "x"})
	}
	return Params{names: testNames(), body: s}.Only(guards())
}

// The attack: a request with a thousand names that each cost the service work.
func TestNearMissAllocatesNothing(t *testing.T) {
	p := manyNames()
	if got := testing.AllocsPerRun(10, func() {
		if err := p.NearMiss(); err != nil {
			t.Errorf("NearMiss(): got error %v, want none", err)
		}
	}); got > 0 {
		t.Errorf("NearMiss(): got %v allocations, want none", got)
	}
}

func BenchmarkNearMiss(b *testing.B) {
	p := manyNames()
	for b.Loop() {
		if err := p.NearMiss(); err != nil {
			b.Fatal(err)
		}
	}
}
