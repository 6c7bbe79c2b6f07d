package params

import (
	"net/url"
	"strings"

	"hush/routes/refusal"
)

// parseFormBody is parseForm for a body, of which nothing may be lost: an & that was
// meant as a part of a secret or passphrase cuts it there, and JSON without its
// Content-Type is a form without any known parameter.
func parseFormBody(text string) (source, error) {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return nil, refusal.Malformed("the body is a form, but looks like JSON, whose Content-Type is " + typeJSON)
	}
	after := ""
	for pair := range strings.SplitSeq(text, "&") {
		escaped, _, hasValue := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(escaped)
		if base, _, _ := strings.Cut(name, "["); pair != "" && !hasValue && (err != nil || !Known(base)) {
			return nil, cutOff(after)
		}
		after = name
	}
	return parseForm(text)
}

// cutOff refuses text without a name. It may be a part of a secret, so the refusal
// names the parameter before it.
func cutOff(after string) error {
	const advice = `in a value, write "&" as %26 (curl: --data-urlencode)`
	if after == "" {
		return refusal.Invalid(`the body begins with text without "=": %s`, advice)
	}
	return refusal.Invalid(`"&" and text without "=" come after %s: %s`, known(after), advice)
}

// parseForm parses a query or an urlencoded body. Only & separates pairs:
// unlike in net/url, a semicolon is data.
func parseForm(text string) (source, error) {
	s := make(source)
	count := 0
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		if pair == "" {
			continue
		}
		if count++; count > maxParams {
			return nil, refusal.Invalid("there may be at most %d parameters", maxParams)
		}
		if err := s.addPair(pair); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s source) addPair(pair string) error {
	name, text, _ := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(name)
	if err != nil {
		return notDecodable("")
	}
	text, err = url.QueryUnescape(text)
	if err != nil {
		return notDecodable(name)
	}
	s.add(name, value{text: text})
	return nil
}

func notDecodable(name string) error {
	return refusal.Invalid("%s is not properly percent-encoded", known(name))
}
