package domain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hush/vault/refusal"
	"hush/vault/rows"
)

// Brand is the branding of a domain's pages. A nil field was never set.
type Brand struct {
	// PrimaryColor and Colour are # and 3 or 6 hexadecimal digits.
	PrimaryColor, Colour *string
	// FontFamily is sans, serif or mono.
	FontFamily *string
	// CornerStyle is rounded, square or pill.
	CornerStyle *string
	// ButtonTextLight selects light text on buttons.
	ButtonTextLight *bool
	// The instructions are up to 500 characters each. Recipients read them
	// before they reveal, beside the secret, and afterwards.
	InstructionsPreReveal, InstructionsReveal, InstructionsPostReveal *string
	// Description has up to 200 characters.
	Description *string
	// Locale is the language of the pages, such as pt_BR.
	Locale *string
	// AllowPublicHomepage lets everyone share on the domain's home page,
	// AllowPublicAPI through the API on the domain; see Domains.AdmitVisitor.
	AllowPublicHomepage, AllowPublicAPI *bool
}

// brandField is a field of a brand with its wire name: a flag, or a text that
// clean checks and normalizes.
type brandField struct {
	name  string
	text  **string
	flag  **bool
	clean func(string) (string, string) // returns the value, or what is wrong with it
}

// fields returns the fields in the order in which they are stored. New ones go
// to the end, and take the next version of the record.
func (b *Brand) fields() []brandField {
	return []brandField{
		{name: "primary_color", text: &b.PrimaryColor, clean: cleanColor},
		{name: "colour", text: &b.Colour, clean: cleanColor},
		{name: "font_family", text: &b.FontFamily, clean: cleanFont},
		{name: "corner_style", text: &b.CornerStyle, clean: cleanCorner},
		{name: "button_text_light", flag: &b.ButtonTextLight},
		{name: "instructions_pre_reveal", text: &b.InstructionsPreReveal, clean: cleanInstructions},
		{name: "instructions_reveal", text: &b.InstructionsReveal, clean: cleanInstructions},
		{name: "instructions_post_reveal", text: &b.InstructionsPostReveal, clean: cleanInstructions},
		{name: "description", text: &b.Description, clean: cleanDescription},
		{name: "locale", text: &b.Locale, clean: cleanLocale},
		{name: "allow_public_homepage", flag: &b.AllowPublicHomepage},
		{name: "allow_public_api", flag: &b.AllowPublicAPI},
	}
}

func (b *Brand) unset(names []string) error {
	fields := b.fields()
	for _, name := range names {
		i := slices.IndexFunc(fields, func(f brandField) bool { return f.name == name })
		switch {
		case i < 0:
			return &refusal.InvalidError{Field: "unset", Text: "must name fields of a brand"}
		case fields[i].text != nil:
			*fields[i].text = nil
		default:
			*fields[i].flag = nil
		}
	}
	return nil
}

func (b *Brand) set(change Brand) error {
	own := b.fields()
	for i, f := range change.fields() {
		switch {
		case f.flag != nil && *f.flag != nil:
			*own[i].flag = new(**f.flag)
		case f.text != nil && *f.text != nil:
			value, problem := f.clean(**f.text)
			if problem != "" {
				return &refusal.InvalidError{Field: f.name, Text: problem}
			}
			*own[i].text = &value
		}
	}
	return nil
}

// storedFields carries the fields in the record of a domain.
func (b *Brand) storedFields(c *rows.Codec) {
	for _, f := range b.fields() {
		switch {
		case f.text != nil:
			if rows.Present(c, f.text) {
				c.Text(*f.text)
			}
		case rows.Present(c, f.flag):
			c.Bool(*f.flag)
		}
	}
}

func cleanColor(text string) (value, problem string) {
	digits, ok := strings.CutPrefix(text, "#")
	if !ok || len(digits) != 3 && len(digits) != 6 || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return "", "Invalid primary color: must be # and 3 or 6 hexadecimal digits"
	}
	return text, ""
}

func cleanFont(text string) (value, problem string) {
	switch text {
	case "sans", "sans-serif":
		return "sans", ""
	case "mono", "monospace":
		return "mono", ""
	case "serif":
		return text, ""
	}
	return "", "Invalid font family: must be sans, serif or mono"
}

func cleanCorner(text string) (value, problem string) {
	switch text {
	case "rounded", "square", "pill":
		return text, ""
	}
	return "", "Invalid button style: must be rounded, square or pill"
}

// cleanLocale accepts a language, or a language with a region in either
// spelling.
func cleanLocale(text string) (value, problem string) {
	text = strings.Replace(text, "-", "_", 1)
	language, region, regional := strings.Cut(text, "_")
	if len(language) != 2 || strings.Trim(language, lowerLetters) != "" ||
		regional && (len(region) != 2 || strings.Trim(region, strings.ToUpper(lowerLetters)) != "") {
		return "", "Invalid locale: must be as in pt or pt_BR"
	}
	return text, ""
}

const lowerLetters = "abcdefghijklmnopqrstuvwxyz"

func cleanInstructions(text string) (value, problem string) { return cleanText(text, 500) }
func cleanDescription(text string) (value, problem string)  { return cleanText(text, 200) }

// cleanText converts the line ends of forms to newlines.
func cleanText(text string, most int) (value, problem string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	forbidden := func(r rune) bool { return r != '\n' && unicode.IsControl(r) }
	switch {
	case !utf8.ValidString(text):
		return "", "must be valid UTF-8"
	case utf8.RuneCountInString(text) > most:
		return "", refusal.Plural("must be at most %d character", most)
	case strings.ContainsFunc(text, forbidden):
		return "", "must not contain control characters"
	}
	return text, ""
}
