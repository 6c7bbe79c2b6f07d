package mail_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"hush/mail"
	"hush/mail/mailtest"
)

// A mail has the colours of the pages: what is light in each element, what is dark in
// the rules for its class.
func TestColours(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../web/src/styles/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark := map[string]string{}, map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^  --([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).FindAllStringSubmatch(string(css), -1) {
		light[found[1]], dark[found[1]] = found[2], found[3]
	}
	s := mailtest.New(t)
	mustSend(t, mustPost(t, relayOf(s)), message(mail.KindShare))
	page := s.Wait(t, 1)[0].HTML()
	rules, elements, found := strings.Cut(page, "</style>")
	if !found || len(light) == 0 {
		t.Fatalf("colours: got %d of the pages and a mail %s, want both", len(light), page)
	}
	used := map[string]bool{}
	for _, want := range []struct{ class, property, token string }{
		{"page", "background", "bg"}, {"card", "background", "surface"}, {"card", "border", "line"}, {"ink", "color", "ink"},
		{"name", "color", "ink"}, {"link", "color", "accent"}, {"button", "color", "accent-ink"}, {"button", "background", "accent"}, {"muted", "color", "muted"},
	} {
		l, d := light[want.token], dark[want.token]
		used[l], used[d] = true, true
		element := regexp.MustCompile(`class="[a-z ]*\b` + want.class + `\b[^>]*[";]` + want.property + `:[^;"]*` + l + `[;"]`)
		if l == "" || !element.MatchString(elements) {
			t.Errorf("class %s: got no %s %s in the mail, want the light %s", want.class, want.property, l, want.token)
		}
		rule := regexp.MustCompile(`\.` + want.class + `\b[^{}]*\{[^}]*\b` + want.property + `(-color)?: ` + d + ` !important`)
		if d == "" || !rule.MatchString(rules) {
			t.Errorf("class %s: got no rule for %s %s, want the dark %s", want.class, want.property, d, want.token)
		}
	}
	for _, color := range regexp.MustCompile(`#[0-9a-f]{3,8}\b`).FindAllString(page, -1) {
		if !used[color] {
			t.Errorf("mail: got the colour %s, want those of the pages only", color)
		}
	}
}
