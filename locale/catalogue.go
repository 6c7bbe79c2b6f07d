package locale

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

//go:embed messages/*.json
var messages embed.FS

// placeholder is the place of a value in a text, such as {name}.
var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// Catalogue holds the texts. It is immutable and safe for concurrent use.
type Catalogue struct {
	texts map[Locale]map[string]string
}

// New reads the embedded catalogues. Its error names a language and a key that
// do not match the English catalogue.
func New() (*Catalogue, error) {
	return read(messages)
}

// read requires messages/<locale>.json for every language.
func read(files fs.FS) (*Catalogue, error) {
	c := &Catalogue{texts: make(map[Locale]map[string]string)}
	for _, l := range supported {
		texts, err := readFile(files, l)
		if err != nil {
			return nil, fmt.Errorf("reading the catalogue of %s: %w", l, err)
		}
		c.texts[l] = texts
		if err := compare(c.texts[English], texts); err != nil {
			return nil, fmt.Errorf("catalogue of %s: %w", l, err)
		}
	}
	return c, nil
}

func readFile(files fs.FS, l Locale) (texts map[string]string, err error) {
	data, err := fs.ReadFile(files, "messages/"+string(l)+".json")
	if err != nil {
		return nil, err
	}
	return texts, json.Unmarshal(data, &texts)
}

// compare returns an error unless texts has the keys of english and each text
// names the same values.
func compare(english, texts map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if _, known := english[key]; !known {
			return fmt.Errorf("key %s is unknown", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english)) {
		text := texts[key]
		if text == "" {
			return fmt.Errorf("key %s is missing", key)
		}
		if strings.ContainsAny(placeholder.ReplaceAllString(text, ""), "{}") {
			return fmt.Errorf("key %s has an unbalanced brace", key)
		}
		if got, want := placeholders(text), placeholders(english[key]); !slices.Equal(got, want) {
			return fmt.Errorf("key %s has the values %q, want %q", key, got, want)
		}
	}
	return nil
}

// placeholders returns the values that text names, sorted and without
// duplicates.
func placeholders(text string) []string {
	names := placeholder.FindAllString(text, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

// Text returns the text of key in l with values in its placeholders. args are
// pairs of a name and a value; a value is inserted unchanged and is not
// searched for placeholders. An unknown language falls back to English, and an
// unknown key to itself. A placeholder without a value stays.
func (c *Catalogue) Text(l Locale, key string, args ...string) string {
	texts, known := c.texts[l]
	if !known {
		texts = c.texts[English]
	}
	text, known := texts[key]
	if !known {
		return key
	}
	if len(args) < 2 {
		return text
	}
	return strings.NewReplacer(pairs(args)...).Replace(text)
}

// pairs turns names into placeholders; a name without a value is left out.
func pairs(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		out = append(out, "{"+args[i]+"}", args[i+1])
	}
	return out
}
