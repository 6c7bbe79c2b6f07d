package locale_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"hush/locale"
)

func newCatalogue(t *testing.T) *locale.Catalogue {
	t.Helper()
	c, err := locale.New()
	if err != nil {
		t.Fatalf("New(): %v", err)
	}
	return c
}

// readPairs reads a catalogue without the package, and fails the test if a key
// is there twice.
func readPairs(t *testing.T, l locale.Locale) map[string]string {
	t.Helper()
	data, err := os.ReadFile("messages/" + string(l) + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("catalogue of %s: %v", l, err)
		}
		if text, ok := token.(string); ok {
			tokens = append(tokens, text)
		}
	}
	texts := make(map[string]string)
	for pair := range slices.Chunk(tokens, 2) {
		if _, twice := texts[pair[0]]; twice || len(pair) != 2 {
			t.Fatalf("catalogue of %s: key %s is not a pair of its own", l, pair[0])
		}
		texts[pair[0]] = pair[1]
	}
	return texts
}

func places(text string) []string {
	found := regexp.MustCompile(`\{[^}]*\}`).FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// sameAsEnglish are the texts that are spelled as in English.
var sameAsEnglish = map[string][]locale.Locale{
	"page.share.passphrase":  {"de"},
	"page.secret.passphrase": {"de", "it"},
	"page.lifetime.300":      {"fr"},
}

// TestCatalogues does not trust the check that New makes.
func TestCatalogues(t *testing.T) {
	t.Parallel()
	english := readPairs(t, locale.English)
	keys := slices.Sorted(maps.Keys(english))
	for _, l := range locale.Supported() {
		texts := readPairs(t, l)
		if diff := cmp.Diff(keys, slices.Sorted(maps.Keys(texts))); diff != "" {
			t.Errorf("keys of %s (-en +%s):\n%s", l, l, diff)
		}
		for key, text := range texts {
			if got, want := places(text), places(english[key]); !slices.Equal(got, want) {
				t.Errorf("%s %s: got the places %q, want %q", l, key, got, want)
			}
			if strings.TrimSpace(text) != text || text == "" || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("%s %s: got %q, want one line without space around it", l, key, text)
			}
			same := slices.Contains(sameAsEnglish[key], l)
			if l != locale.English && (text == english[key]) != same {
				t.Errorf("%s %s: got %q, want the language's own text", l, key, text)
			}
		}
	}
}

// Clients compare these.
func TestEnglishErrors(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	for key, want := range map[string]string{
		"error.unknown":          "Unknown secret",
		"error.unauthorized":     "Not authorized",
		"error.passphrase":       "Double check that passphrase",
		"error.end_to_end":       "This secret is end-to-end encrypted. Open its link in a browser or with the hush client.",
		"error.limited":          "Apologies dear citizen! You have been rate limited.",
		"error.full":             "There is no room for more secrets at the moment",
		"error.unavailable":      "We'll be back shortly!",
		"error.internal":         "An unexpected error occurred",
		"error.nothing":          "You did not provide anything to share",
		"error.account_required": "An account is required to send emails.",
		"error.near_miss":        "There is no parameter {sent}. Did you mean {meant}?",
		"error.route":            "Not Found",
		"error.method":           "Method Not Allowed",
		"error.shrimp":           "Please refresh the page and try again",
	} {
		if got := c.Text(locale.English, key); got != want {
			t.Errorf("Text(en, %s): got %q, want %q", key, got, want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	for _, tt := range []struct {
		l    locale.Locale
		key  string
		args []string
		want string
	}{
		{"de", "error.route", nil, "Nicht gefunden"},
		{"uk", "event.expired", nil, "Термін минув"},
		{"xx", "error.route", nil, "Not Found"},
		{"", "error.route", []string{"count", "3"}, "Not Found"},
		{"en", "no.such.key", nil, "no.such.key"},
		{"ja", "no.such.key", []string{"key", "3"}, "no.such.key"},
		{"en", "mail.share.subject", []string{"sender", "a@example.com"}, "a@example.com sent you a secret"},
		{"nl", "mail.share.subject", []string{"sender", "a@example.com"}, "a@example.com heeft u een geheim gestuurd"},
		{"en", "mail.invite.subject", []string{"sender", "{instance}", "instance", "{sender}"}, "{instance} invites you to {sender}"},
		{"en", "mail.footer", nil, "Sent by {instance}."},
		{"en", "mail.footer", []string{"instance"}, "Sent by {instance}."},
		{"en", "mail.footer", []string{"instance", "Hush", "more"}, "Sent by Hush."},
		{"en", "mail.footer", []string{"", "x", "instance", ""}, "Sent by ."},
	} {
		if got := c.Text(tt.l, tt.key, tt.args...); got != tt.want {
			t.Errorf("Text(%s, %s, %q): got %q, want %q", tt.l, tt.key, tt.args, got, tt.want)
		}
	}
}
