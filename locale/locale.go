package locale

import (
	"strings"

	"golang.org/x/text/language"
)

// Locale is a language by its name on the wire, such as "pt_BR".
type Locale string

// English is the default.
const English Locale = "en"

// maxAcceptLanguage is longer than what any browser sends.
const maxAcceptLanguage = 1 << 10

// supported are the languages in the order in which they are shown, and tags
// the same for the matcher, which answers with an index.
var (
	supported = []Locale{English, "de", "es", "fr", "it", "ja", "nl", "pl", "pt_BR", "uk"}
	tags      = []language.Tag{
		language.English, language.German, language.Spanish, language.French, language.Italian,
		language.Japanese, language.Dutch, language.Polish, language.BrazilianPortuguese, language.Ukrainian,
	}
	matcher = language.NewMatcher(tags)
)

// Supported returns the languages, English first. The slice is the caller's.
func Supported() []Locale {
	return append([]Locale(nil), supported...)
}

// Parse returns the language of that name. Upper and lower case are the same,
// and "pt-BR" is "pt_BR". It answers false for any other name.
func Parse(name string) (Locale, bool) {
	for _, l := range supported {
		if len(name) == len(l) && strings.EqualFold(strings.ReplaceAll(name, "-", "_"), string(l)) {
			return l, true
		}
	}
	return "", false
}

// Match returns the language that serves the header Accept-Language best, and
// English where none does. A header of more than 1 KiB is not read.
func Match(acceptLanguage string) Locale {
	if len(acceptLanguage) > maxAcceptLanguage {
		return English
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(wanted) == 0 {
		return English
	}
	_, index, confidence := matcher.Match(wanted...)
	if confidence == language.No {
		return English
	}
	return supported[index]
}
