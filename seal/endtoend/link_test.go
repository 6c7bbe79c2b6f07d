package endtoend_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/seal/endtoend"
)

func newLink() endtoend.Link {
	return endtoend.Link{Key: seal.NewToken(time.Unix(1_800_000_000, 0)), Secret: endtoend.NewLinkSecret()}
}

func TestLinkRoundTrip(t *testing.T) {
	for range 1000 {
		link := newLink()
		text := link.Expose()
		if len(text) != endtoend.LinkSize || strings.Trim(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
			t.Fatalf("Expose: got %d characters, want %d letters and digits", len(text), endtoend.LinkSize)
		}
		again, err := endtoend.ParseLink(text)
		if err != nil || again.Expose() != text || endtoend.LinkProof(again.Secret) != endtoend.LinkProof(link.Secret) {
			t.Fatalf("ParseLink of a link: got %v or another link, want the same", err)
		}
	}
}

const testKey = "0123456789abcdefghijklmnopqrstu"

// The smallest and the largest secret, and the number after it.
func TestLinkBounds(t *testing.T) {
	const (
		largest = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1" // 2^256-1
		beyond  = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp2" // 2^256
	)
	zero, err := endtoend.ParseLink(testKey + strings.Repeat("0", 43))
	if err != nil || zero.Expose() != testKey+strings.Repeat("0", 43) {
		t.Errorf("ParseLink of zeros: got %v, want the same link", err)
	}
	if _, err := endtoend.ParseLink(testKey + largest); err != nil {
		t.Errorf("ParseLink of 2^256-1: got %v, want nil", err)
	}
	if _, err := endtoend.ParseLink(testKey + beyond); !errors.Is(err, endtoend.ErrLink) {
		t.Errorf("ParseLink of 2^256: got %v, want %v", err, endtoend.ErrLink)
	}
}

func TestLinksThatAreNone(t *testing.T) {
	good := newLink().Expose()
	for text, want := range map[string]error{
		"":                                      endtoend.ErrLinkIncomplete,
		good[:73]:                               endtoend.ErrLinkIncomplete,
		good + "0":                              endtoend.ErrLinkIncomplete,
		good[:31]:                               endtoend.ErrLinkIncomplete,
		strings.ToUpper(good[:31]) + good[31:]:  endtoend.ErrLink,
		good[:73] + "-":                         endtoend.ErrLink,
		testKey + strings.Repeat("z", 43):       endtoend.ErrLink,
		testKey + strings.Repeat("ö", 21) + "0": endtoend.ErrLink,
	} {
		if _, err := endtoend.ParseLink(text); !errors.Is(err, want) {
			t.Errorf("ParseLink(%d characters): got %v, want %v", len(text), err, want)
		}
	}
}

// Nothing of a link or its keys can be printed by accident.
func TestNothingPrints(t *testing.T) {
	link := newLink()
	keys, err := endtoend.Derive(link.Secret, "otter")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{link, &link, link.Secret, keys, &keys} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s", "%q"} {
			printed := fmt.Sprintf(verb, value)
			for _, secret := range []string{link.Key.Expose(), link.Expose()[31:], fmt.Sprintf("%x", link.Expose()[31:])} {
				if strings.Contains(printed, secret) {
					t.Errorf("printing %T with %s: got something secret, want [redacted]", value, verb)
				}
			}
			proof := keys.Proof()
			if bytes.Contains([]byte(printed), proof[:]) {
				t.Errorf("printing %T with %s: got a proof, want [redacted]", value, verb)
			}
		}
	}
}

func FuzzParseLink(f *testing.F) {
	f.Add(newLink().Expose())
	f.Add(testKey + strings.Repeat("z", 43))
	f.Fuzz(func(t *testing.T, text string) {
		link, err := endtoend.ParseLink(text)
		if err == nil && link.Expose() != text {
			t.Errorf("ParseLink: accepted a link that has another spelling")
		}
	})
}
