package locale

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Locale is a language by its wire name, such as "pt_BR".
type Locale string

// English is the default.
const English Locale = "en"

// maxAcceptLanguage is longer than any browser's header.
const maxAcceptLanguage = 1 << 10

// supported lists the languages in the order in which they are shown, and tags
// the same for the matcher, which returns an index.
var (
	supported = []Locale{English, "ar", "de", "es", "fr", "he", "it", "ja", "nl", "pl", "pt_BR", "uk"}
	tags      = []language.Tag{
		language.English, language.Arabic, language.German, language.Spanish, language.French, language.Hebrew,
		language.Italian, language.Japanese, language.Dutch, language.Polish, language.BrazilianPortuguese, language.Ukrainian,
	}
	matcher = language.NewMatcher(tags)
)

// rightToLeft lists the languages that are written from right to left, also
// those that are not supported yet.
var rightToLeft = []string{"ar", "fa", "he", "ur"}

// Direction returns the direction of the language's script, "ltr" or "rtl", as
// HTML's attribute dir has it.
func (l Locale) Direction() string {
	name, _, _ := strings.Cut(string(l), "_")
	if slices.Contains(rightToLeft, name) {
		return "rtl"
	}
	return "ltr"
}

// Supported returns the languages, English first. The caller owns the slice.
func Supported() []Locale {
	return append([]Locale(nil), supported...)
}

// Parse returns the language of a name. It ignores case, and "pt-BR" is
// "pt_BR". It returns false for an unknown name.
func Parse(name string) (Locale, bool) {
	for _, l := range supported {
		if len(name) == len(l) && strings.EqualFold(strings.ReplaceAll(name, "-", "_"), string(l)) {
			return l, true
		}
	}
	return "", false
}

// Match returns the best language for the header Accept-Language, or English if
// none matches. It ignores a header of more than 1 KiB.
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
