package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hush/client"
)

const (
	aKey      = "0123456789abcdefghijklmnopqrstu"
	aFragment = aKey + "m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV"
)

func TestParseLink(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://hush.example/e#" + aFragment:                         "https://hush.example/e#" + aFragment,
		" <https://Hush.Example/e#" + aFragment + ">.\n":              "https://hush.example/e#" + aFragment,
		"https://hush.example/e%23" + aFragment:                       "https://hush.example/e#" + aFragment,
		"https://hush.example/e%2523" + aFragment:                     "https://hush.example/e#" + aFragment,
		"https://hush.example/e#" + aKey + "\r\n " + aFragment[31:]:   "https://hush.example/e#" + aFragment,
		"https://hush.example/e#" + aKey + " " + aFragment[31:]:       "https://hush.example/e#" + aFragment,
		"https://ots.example/secret/" + aKey[:20] + "\n " + aKey[20:]: "https://ots.example/secret/" + aKey,
		"https://hush.\nexample/s#\u200b" + aKey + "\n":               "https://hush.example/s#" + aKey,
		"https://hush.example/s#" + aKey:                              "https://hush.example/s#" + aKey,
		"https://hush.example/s/#" + aKey:                             "https://hush.example/s#" + aKey,
		"http://127.0.0.1:7143/secret/" + aKey:                        "http://127.0.0.1:7143/secret/" + aKey,
		"https://ots.example/secret/" + aKey + aKey + "a":             "https://ots.example/secret/" + aKey + aKey + "a",
		"https://hush.example/secret/" + aKey + "/?utm_source=mail.":  "https://hush.example/secret/" + aKey,
		"https://example.com/hush/e#" + aFragment:                     "https://example.com/hush/e#" + aFragment,
		"https://example.com/hush/secret/" + aKey:                     "https://example.com/hush/secret/" + aKey,
	} {
		link, err := client.ParseLink(text)
		if err != nil {
			t.Errorf("ParseLink(%q): got %v, want no error", text, err)
			continue
		}
		if got := link.Expose(); got != want {
			t.Errorf("ParseLink(%q): got %s, want %s", text, got, want)
		}
		if link.Key.Expose()[:31] != aKey {
			t.Errorf("ParseLink(%q): got the key %s, want %s", text, link.Key.Expose(), aKey)
		}
	}
}

func TestParseLinkSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	biggest := strings.Repeat("z", 43) // more than 32 bytes hold
	for text, want := range map[string]string{
		"":                                   "begins with https://",
		aKey:                                 "begins with https://",
		"hush.example/e#" + aFragment:        "begins with https://",
		"ftp://hush.example/e#" + aFragment:  "begins with https://",
		"https://a:b@hush.example/e#" + aKey: "begins with https://",
		"https://hush.example/e#" + aFragment[:73]:              "not complete",
		"https://hush.example/e#" + aFragment + "a":             "not complete",
		"https://hush.example/e#" + aKey:                        "not complete",
		"https://hush.example/e":                                "not complete",
		"https://hush.example/e#" + aFragment[:73] + "é":        "was changed",
		"https://hush.example/e#" + aFragment[:73] + "-V":       "was changed",
		"https://hush.example/e#" + aFragment[:73] + ":V":       "was changed",
		"https://hush.example/e#" + aFragment[:72] + "[V":       "was changed",
		"https://hush.example/e#" + aKey + biggest:              "was changed",
		"https://hush.example/s#" + aKey[:30] + ":u":            "was changed",
		"https://hush.example/":                                 "not the link of a secret",
		"https://hush.example/s":                                "not complete",
		"https://hush.example/s#short":                          "not complete",
		"https://hush.example/s#" + aKey[:30]:                   "not complete",
		"https://hush.example/s#" + aKey[:30] + "U":             "was changed",
		"https://hush.example/s#" + aFragment:                   "was changed: it is too long",
		"https://hush.example/s#" + aFragment[:73]:              "was changed: it is too long",
		"https://hush.example/s#" + aKey + "a":                  "was changed: it is too long",
		"https://hush.example/s#" + aKey + "\npassphrase":       "other text",
		"https://hush.example/secret/" + aFragment:              "was changed: it is too long",
		"https://hush.example/s#" + aKey + " a-passphrase":      "other text",
		"https://hush.example/s#" + aKey + "\u00a0a-passphrase": "other text",
		"https://ots.example/secret/" + aKey + " passphrase":    "other text",
		"https://ots.example/secret/" + aKey + "\n passphrase":  "other text",
		"https://ots.example/secret/" + aKey + "\npassphrase":   "other text",
		"https://hush.example/e#" + aFragment + " passphrase":   "not complete",
		"https://hush.example/r#" + aKey:                        "link of a receipt",
		"https://hush.example/private/" + aKey:                  "link of a receipt",
		"https://hush.example/q#" + aFragment:                   "link of a request: \"hush answer\" answers it",
		"https://hush.example/q#" + aFragment + " passphrase":   "link of a request: \"hush answer\" answers it",
		"https://hush.example/c%23" + aFragment:                 "collect link of a request: \"hush collect\" reads its answers",
		"https://hush.example/esecret/" + aKey + "/extra":       "not the link of a secret",
		// Two links: the key of the second is not for the host of the first.
		"https://a.example/secret/" + aKey + "https://b.example/secret/" + aKey:       "more than one link",
		"https://a.example/secret/" + aKey + "\nhttps://b.example/secret/" + aKey:     "more than one link",
		"https://a.example/secret/" + aKey + " b.example/secret/" + aKey:              "more than one link",
		"https://a.example/private/" + aKey + " b.example/secret/" + aKey:             "more than one link",
		"https://a.example/secret/" + aKey + "https%3A%2F%2Fb.example/e#" + aFragment: "more than one link",
		"https://a.example/e#" + aFragment + "\nhttps://b.example/e#" + aFragment:     "more than one link",
		"https://a.example/s#" + aKey + " https://b.example/s#" + aKey:                "more than one link",
	} {
		_, err := client.ParseLink(text)
		if !errors.Is(err, client.ErrLink) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseLink(%q): got %v, want %q", text, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), aKey) || strings.Contains(err.Error(), aFragment[31:60])) {
			t.Errorf("ParseLink(%q): got part of the link in %v", text, err)
		}
	}
}

func TestParseReceiptLink(t *testing.T) {
	t.Parallel()
	second := strings.Repeat("b", 31)
	for text, want := range map[string]string{
		aKey:                             aKey,
		" " + aKey + "\n":                aKey,
		"https://hush.example/r#" + aKey: "https://hush.example/r#" + aKey,
		"https://hush.example/r#" + aKey + "." + second:                                "https://hush.example/r#" + aKey + "." + second,
		"https://hush.example/private/" + aKey:                                         "https://hush.example/private/" + aKey,
		"https://hush.example/receipt/" + aKey:                                         "https://hush.example/private/" + aKey,
		"https://hush.example/metadata/" + aKey:                                        "https://hush.example/private/" + aKey,
		"https://example.com/hush/r#" + aKey + ".":                                     "https://example.com/hush/r#" + aKey,
		"https://hush.example/r#" + aKey + ".\r\n" + second:                            "https://hush.example/r#" + aKey + "." + second,
		"https://hush.example/r#" + aKey + "." + second[:9] + "\nbbbbbb" + second[15:]: "https://hush.example/r#" + aKey + "." + second,
	} {
		link, err := client.ParseReceiptLink(text)
		if err != nil {
			t.Errorf("ParseReceiptLink(%q): got %v, want no error", text, err)
		} else if got := link.Expose(); got != want {
			t.Errorf("ParseReceiptLink(%q): got %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"":                               "begins with https://",
		"short":                          "begins with https://",
		"https://hush.example/s#" + aKey: "of a secret",
		"https://hush.example/r#" + aKey + ".short":         "not complete",
		"https://hush.example/r#" + aKey[:30]:               "not complete",
		"https://hush.example/r#" + aFragment:               "was changed: it is too long",
		"https://hush.example/r#" + aKey + "." + aKey + "a": "was changed: it is too long",
		"https://hush.example/private/" + aFragment:         "was changed: it is too long",
		aFragment:                                   "was changed: it is too long",
		"https://hush.example/q#" + aFragment:       "link of a request",
		"https://hush.example/c#" + aFragment:       "collect link of a request",
		"https://hush.example/r#" + aKey + ":a":     "was changed",
		"https://hush.example/r#" + aKey + " word":  "other text",
		"https://hush.example/r#" + aKey + "\nword": "other text",
		aKey + "\nword":                             "other text",
		"https://hush.example/e#" + aFragment:       "of a secret",
	} {
		if _, err := client.ParseReceiptLink(text); !errors.Is(err, client.ErrLink) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseReceiptLink(%q): got %v, want %q", text, err, want)
		}
	}
}

// A program that logs a link, a key or a claim must not show it.
func TestTypesPrintNothing(t *testing.T) {
	t.Parallel()
	link, err := client.ParseLink("https://hush.example/e#" + aFragment)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := client.ParseReceiptLink("https://hush.example/r#" + aKey)
	if err != nil {
		t.Fatal(err)
	}
	request, err := client.ParseRequestLink("https://hush.example/q#" + aFragment)
	if err != nil {
		t.Fatal(err)
	}
	collect, err := client.ParseCollectLink("https://hush.example/c#" + aFragment)
	if err != nil {
		t.Fatal(err)
	}
	claim := client.NewClaim()
	sealed := client.SealedAnswer{Link: request, SealedLink: []byte(aFragment)}
	for _, value := range []any{link, &link, receipt, &receipt, claim, &claim, link.Key, request, &request, collect, &collect, sealed, &sealed, client.Asked{Link: request, Collect: collect}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			got := fmt.Sprintf(verb, value)
			if strings.Contains(got, aKey) || strings.Contains(got, claim.Expose()) || strings.Contains(got, aFragment[31:]) {
				t.Errorf("Sprintf(%s, %T): got %s", verb, value, got)
			}
		}
	}
	if parsed, ok := client.ParseClaim(claim.Expose()); !ok || parsed.Expose() != claim.Expose() {
		t.Error("ParseClaim: got another claim, want the same")
	}
}

// Two receipts that were pasted together are none: each would be burned elsewhere.
func TestParseReceiptLinkRefusesTwo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://a.example/private/" + aKey + "\nhttps://b.example/private/" + aKey,
		"https://a.example/r#" + aKey + "\nhttps://b.example/r#" + aKey,
		"https://a.example/receipt/" + aKey + " b.example/private/" + aKey,
	} {
		if _, err := client.ParseReceiptLink(text); !errors.Is(err, client.ErrLink) || !strings.Contains(err.Error(), "more than one link") {
			t.Errorf("ParseReceiptLink(%q): got %v, want it refused", text, err)
		}
	}
}

func TestParseLinksOfRequests(t *testing.T) {
	t.Parallel()
	const whole = "https://hush.example/q#" + aFragment
	for text, want := range map[string]string{
		whole: whole,
		" <https://Hush.Example/q#" + aFragment + ">.\n":            whole,
		"https://hush.example/q%23" + aFragment:                     whole,
		"https://hush.example/q%2523" + aFragment:                   whole,
		"https://hush.example/q/#" + aFragment:                      whole,
		"https://hush.example/q#" + aKey + "\r\n " + aFragment[31:]: whole,
		"https://example.com/hush/q#" + aFragment:                   "https://example.com/hush/q#" + aFragment,
	} {
		link, err := client.ParseRequestLink(text)
		if err != nil || link.Expose() != want || link.Key.Expose() != aKey {
			t.Errorf("ParseRequestLink(%q): got %s, %v, want %s", text, link.Expose(), err, want)
		}
		collect, err := client.ParseCollectLink(strings.Replace(text, "/q", "/c", 1))
		if wanted := strings.Replace(want, "/q", "/c", 1); err != nil || collect.Expose() != wanted || collect.Key.Expose() != aKey {
			t.Errorf("ParseCollectLink(%q): got %s, %v, want %s", text, collect.Expose(), err, wanted)
		}
	}
	for text, want := range map[string]string{
		"":      "begins with https://",
		aKey:    "begins with https://",
		"title": "begins with https://",
		"https://hush.example/q#" + aFragment[:73]:                                "not complete",
		"https://hush.example/q":                                                  "not complete",
		"https://hush.example/q#" + aFragment + " word":                           "not complete",
		"https://hush.example/q#" + aFragment[:73] + "-":                          "was changed",
		"https://hush.example/q#" + aKey + strings.Repeat("z", 43):                "was changed",
		"https://hush.example/e#" + aFragment:                                     "link of a secret: \"hush open\" opens it",
		"https://hush.example/s#" + aKey:                                          "link of a secret",
		"https://hush.example/r#" + aKey:                                          "link of a receipt: \"hush receipt\" shows it",
		"https://hush.example/c#" + aFragment:                                     "collect link of a request: \"hush collect\" reads its answers",
		"https://hush.example/":                                                   "not the link of a request",
		"https://a.example/q#" + aFragment + "\nhttps://b.example/q#" + aFragment: "more than one link",
	} {
		if _, err := client.ParseRequestLink(text); !errors.Is(err, client.ErrLink) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRequestLink(%q): got %v, want %q", text, err, want)
		} else if strings.Contains(err.Error(), aKey) {
			t.Errorf("ParseRequestLink(%q): got part of the link in %v", text, err)
		}
	}
	request, err := client.ParseRequestLink(whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.ParseCollectLink(whole); !errors.Is(err, client.ErrLink) || !strings.Contains(err.Error(), "\"hush answer\" answers it") {
		t.Errorf("ParseCollectLink(request link): got %v, want what the link is", err)
	}
	if len(request.LinkSecret().Expose()) != 32 || (client.RequestLink{}).Expose() != "" || (client.CollectLink{}).Expose() != "" {
		t.Error("LinkSecret, Expose: got none, or a text of no link, want a secret, and no text of no link")
	}
}

// What a requester may write is trimmed, and what no card has is refused.
func TestAskRequestNormalized(t *testing.T) {
	t.Parallel()
	got, err := client.AskRequest{Title: " a\ttitle ", Note: "\r\n one\r\n\ttwo \r\n\n", Domain: "Hush.Example."}.Normalized()
	want := client.AskRequest{Title: "a title", Note: " one\n    two", Text: true, File: true, Answers: 1, Domain: "hush.example"}
	if err != nil || got != want {
		t.Errorf("Normalized: got %+v, %v, want %+v", got, err, want)
	}
	for name, ask := range map[string]client.AskRequest{
		"no title": {Title: " "}, "answers": {Title: "a", Answers: 101}, "negative": {Title: "a", Answers: -1},
		"short": {Title: "a", TTL: time.Second}, "long": {Title: "a", TTL: 31 * 24 * time.Hour}, "odd": {Title: "a", TTL: time.Minute + time.Millisecond},
	} {
		if _, err := ask.Normalized(); !errors.Is(err, client.ErrUsage) {
			t.Errorf("Normalized(%s): got %v, want ErrUsage", name, err)
		}
	}
}
