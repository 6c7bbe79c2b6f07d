package feedback_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hush/vault/feedback"
)

const (
	aKey     = "abc123def456ghi789jkl012mno345p"
	aToken   = "0123456789abcdef0123456789abcdef01234567"
	aSession = "Zm9vYmFyLWZvb2Jhcl9mb29iYXItZm9vYmFyX2Zvb2I"

	aLinkSecret = "m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	const gone = "[removed]"
	tests := []struct{ text, want string }{
		{"", ""},
		{"Cannot read properties of undefined (reading 'key')", "Cannot read properties of undefined (reading 'key')"},
		{"key " + aKey + ".", "key " + gone + "."},
		{"x" + aKey + "_y", gone},
		{"X-" + strings.ToUpper(aToken), gone},
		{"token=" + aToken, gone},
		{"cookie: " + aSession + "; a", "cookie: " + gone + "; a"},
		{"mail ada.lovelace+x@mail.example.com, please", "mail " + gone + ", please"},
		{"ada%40example.com", gone},
		{"f@https://hush.example/assets/a.js:1:2", "f@https://hush.example/assets/a.js:1:2"},
		{"from 203.0.113.7:443 to 2001:db8::7", "from " + gone + ":443 to " + gone},
		{"at [fe80::1%eth0]", "at [" + gone + "%eth0]"},
		{"::ffff:203.0.113.7", gone},
		{"Chrome/126.0.0.0 at 12:34:56, line 10:25", "Chrome/126.0.0.0 at 12:34:56, line 10:25"},
		{"GET /secret/" + aKey + " 404", "GET /secret/" + gone + " 404"},
		{"/private/short/burn", "/private/" + gone},
		{"(/Metadata/x)", "(/Metadata/" + gone + ")"},
		{"/s#" + aKey, "/s?" + gone},
		{"/e#" + aKey + aLinkSecret, "/e?" + gone},
		{"at https://hush.example/e%23" + aKey + aLinkSecret + " now", "at https://hush.example/e%" + gone + " now"},
		{"and " + aLinkSecret + ".", "and " + gone + "."},
		{"/reset/x and /verify/y", "/reset/" + gone + " and /verify/" + gone},
		{"at https://hush.example/x?passphrase=hunter2#top now", "at https://hush.example/x?" + gone + " now"},
		{"https://hush.example?secret[passphrase]=hunter2", "https://hush.example?" + gone},
		{"https://ada:pw@hush.example/a", "https://hush.example/a"},
		{"(https://hush.example/a.js?v=1:10:25)", "(https://hush.example/a.js?" + gone + ":10:25)"},
		{"and/or? //hush.example/x#y", "and/or? //hush.example/x?" + gone},
		{"/a/b.mjs?v=1:2:3", "/a/b.mjs?" + gone + ":2:3"},
		{"/api/v2/x?key=1", "/api/v2/x?" + gone},
		{"Authorization: Basic YWRhOnB3MQ==", "Authorization: Basic " + gone},
		{"bearer aB3.dE6_gH9", "bearer " + gone},
		{"only basic understanding of it", "only basic understanding of it"},
		{"data:" + strings.Repeat("QUJD/+", 8) + "==", "data:" + gone},
		{"Ärger mit Größe 12 – schön", "Ärger mit Größe 12 – schön"},
	}
	for _, test := range tests {
		if got := feedback.Scrub(test.text); got != test.want {
			t.Errorf("scrub(%q): got %q, want %q", test.text, got, test.want)
		}
		if got := feedback.Scrub(test.want); got != test.want {
			t.Errorf("scrub(%q): got %q, want the same", test.want, got)
		}
	}
}

func TestScrubURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"", ""},
		{"https://hush.example/", "https://hush.example/"},
		{"https://hush.example:8443/account/domains?x=1#y", "https://hush.example:8443/account/domains"},
		{"https://ada:pw@hush.example/secret/" + aKey, "https://hush.example/secret/[removed]"},
		{"https://hush.example/s#" + aKey, "https://hush.example/s"},
		{"https://hush.example/e#" + aKey + aLinkSecret, "https://hush.example/e"},
		{"https://hush.example/e%23" + aKey + aLinkSecret, "https://hush.example/e%[removed]"},
		{"https://hush.example/e%2523" + aKey + aLinkSecret, "https://hush.example/e%[removed]"},
		{"https://hush.example/secret%2F" + aKey, "https://hush.example/secret%[removed]"},
		{"http://203.0.113.7/recent", "http://[removed]/recent"},
		{"/private/" + aKey, "/private/[removed]"},
		{"data:text/html,x", "[removed]"},
		{"https://hush.example/%zz", "[removed]"},
	}
	for _, test := range tests {
		if got := feedback.ScrubURL(test.text); got != test.want {
			t.Errorf("scrubURL(%q): got %q, want %q", test.text, got, test.want)
		}
	}
}

// Whatever stands around it, nothing that has the shape of a key is left.
func FuzzScrub(f *testing.F) {
	f.Add("at https://hush.example/secret/"+aKey+"?x#y", "x")
	f.Add(aKey+"@"+aToken+" ::"+aSession, "Basic ")
	f.Add("[removed]", aKey)
	f.Add("\xff/secret/", "\xc3")
	key := regexp.MustCompile(`[0-9a-z]{31}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, text := range []string{before, before + aKey + after, before + "/" + aKey + "/" + after} {
			for name, got := range map[string]string{"scrub": feedback.Scrub(text), "scrubURL": feedback.ScrubURL(text)} {
				if left := key.FindString(got); left != "" {
					t.Errorf("%s(%q): got %q with %q, want no key", name, text, got, left)
				}
				if utf8.ValidString(text) && !utf8.ValidString(got) {
					t.Errorf("%s(%q): got %q, want UTF-8", name, text, got)
				}
			}
		}
	})
}
