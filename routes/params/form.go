package params

import (
	"net/url"
	"strings"

	"hush/routes/refusal"
)

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
