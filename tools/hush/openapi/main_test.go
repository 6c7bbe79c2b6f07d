package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"testing"
)

// The document is embedded in the server: what changes the contract, the routing
// tables or the recorded exchanges changes it too.
func TestDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := generate(os.DirFS("../../.."))
	if err != nil {
		t.Fatalf("generate(): got error %v", err)
	}
	got, err := os.ReadFile("../../../" + documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got a stale document; commit what make generate writes", documentFile)
	}
}

func TestReadComment(t *testing.T) {
	t.Parallel()
	paragraphs, rules := readComment("One line\n and another.\nstring.max_bytes = 512\n\n Two.\n")
	if len(paragraphs) != 2 || paragraphs[0] != "One line and another." || paragraphs[1] != "Two." || rules["string.max_bytes"] != "512" {
		t.Errorf("readComment(): got %q and %q", paragraphs, rules)
	}
}

// The limits on bytes are limits on their base64, with padding and without.
func TestEncodeLimits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 32, 328, 1_082_472} {
		s := object("type", "string", "format", "byte", "minLength", n, "maxLength", n)
		tidySchema(s)
		bytes := make([]byte, n)
		least, most := len(base64.RawStdEncoding.EncodeToString(bytes)), len(base64.StdEncoding.EncodeToString(bytes))
		want := object("type", "string", "minLength", least, "maxLength", most, "contentEncoding", "base64")
		if got := plain(t, s); got != plain(t, want) {
			t.Errorf("tidySchema(%d bytes): got\n%s\nwant\n%s", n, got, plain(t, want))
		}
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	all, s := newShapes(), new(shape)
	for _, text := range []string{`{"a":1,"b":null,"c":[],"r":2}`, `{"a":1.5,"b":"x","c":["y"]}`} {
		value, err := readJSON(text)
		if err != nil {
			t.Fatalf("readJSON(%s): got error %v", text, err)
		}
		all.add(s, value)
	}
	want := object("type", "object", "required", []string{"a", "b", "c"}, "properties", object(
		"a", object("type", "number"),
		"b", object("type", []string{"string", "null"}),
		"c", object("type", "array", "items", object("type", "string")),
		"r", object("type", "integer"),
	))
	if got := all.schema(s, ""); plain(t, got) != plain(t, want) {
		t.Errorf("schema(): got\n%s\nwant\n%s", plain(t, got), plain(t, want))
	}
}

func TestWithoutName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"RevealSecret destroys a secret.": "Destroys a secret.",
		"A note.":                         "A note.",
		"RevealSecrets is another.":       "RevealSecrets is another.",
	} {
		if got := withoutName(text, "RevealSecret"); got != want {
			t.Errorf("withoutName(%q): got %q, want %q", text, got, want)
		}
	}
}
