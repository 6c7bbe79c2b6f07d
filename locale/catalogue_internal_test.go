package locale

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
)

// catalogues returns files in which every language has the same texts, but for
// one that has other ones.
func catalogues(t *testing.T, other Locale, texts map[string]string) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	for _, l := range supported {
		content := map[string]string{"a": "hello {name} of {place}", "b": "bye"}
		if l == other {
			content = texts
		}
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		files["messages/"+string(l)+".json"] = &fstest.MapFile{Data: data}
	}
	return files
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		texts map[string]string
		want  string // "" is none
	}{
		"good":              {map[string]string{"a": "{place}, {name}, {place}", "b": "x"}, ""},
		"a key too few":     {map[string]string{"b": "x"}, "catalogue of pl: key a is missing"},
		"a key too many":    {map[string]string{"a": "{name} {place}", "b": "x", "c": "x"}, "catalogue of pl: key c is unknown"},
		"an empty text":     {map[string]string{"a": "{name} {place}", "b": ""}, "catalogue of pl: key b is missing"},
		"a place too few":   {map[string]string{"a": "{name}", "b": "x"}, `catalogue of pl: key a has the values ["{name}"], want ["{name}" "{place}"]`},
		"a place too many":  {map[string]string{"a": "{name} {place}", "b": "{name}"}, `catalogue of pl: key b has the values ["{name}"], want []`},
		"another place":     {map[string]string{"a": "{name} {platz}", "b": "x"}, `catalogue of pl: key a has the values ["{name}" "{platz}"], want ["{name}" "{place}"]`},
		"a brace too many":  {map[string]string{"a": "{name} {place}", "b": "x}"}, "catalogue of pl: key b has an unbalanced brace"},
		"a misspelled one":  {map[string]string{"a": "{name} {place} {Name}", "b": "x"}, "catalogue of pl: key a has an unbalanced brace"},
		"a place in a part": {map[string]string{"a": "{name} {place", "b": "x"}, "catalogue of pl: key a has an unbalanced brace"},
	} {
		_, err := read(catalogues(t, "pl", tt.texts))
		if got := errorText(err); got != tt.want {
			t.Errorf("read(%s): got %q, want %q", name, got, tt.want)
		}
	}
}

func TestReadNeedsEveryFile(t *testing.T) {
	t.Parallel()
	files := catalogues(t, "", nil)
	delete(files, "messages/ja.json")
	if _, err := read(files); !strings.HasPrefix(errorText(err), "reading the catalogue of ja: ") {
		t.Errorf("read without ja.json: got %v, want it named", err)
	}
	files = catalogues(t, "", nil)
	files["messages/fr.json"].Data = []byte(`{"a": {"b": "nested"}}`)
	if _, err := read(files); !strings.HasPrefix(errorText(err), "reading the catalogue of fr: ") {
		t.Errorf("read with a nested fr.json: got %v, want it named", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
