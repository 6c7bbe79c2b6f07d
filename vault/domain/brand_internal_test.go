package domain

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hush/vault/refusal"
)

func TestBrandMerge(t *testing.T) {
	t.Parallel()
	var b Brand
	set := func(change Brand, want Brand) {
		t.Helper()
		if err := b.set(change); err != nil {
			t.Errorf("set(%v): got %v, want nil", change, err)
		}
		if diff := cmp.Diff(want, b); diff != "" {
			t.Errorf("set: -want +got\n%s", diff)
		}
	}
	set(Brand{PrimaryColor: new("#Dc4a22"), AllowPublicAPI: new(false)}, Brand{PrimaryColor: new("#Dc4a22"), AllowPublicAPI: new(false)})
	set(Brand{FontFamily: new("sans-serif")}, Brand{PrimaryColor: new("#Dc4a22"), AllowPublicAPI: new(false), FontFamily: new("sans")})
	set(Brand{}, Brand{PrimaryColor: new("#Dc4a22"), AllowPublicAPI: new(false), FontFamily: new("sans")})
	set(Brand{InstructionsReveal: new("a\r\nb")}, Brand{
		PrimaryColor: new("#Dc4a22"), AllowPublicAPI: new(false), FontFamily: new("sans"), InstructionsReveal: new("a\nb"),
	})
	if err := b.unset([]string{"primary_color", "allow_public_api", "locale"}); err != nil {
		t.Errorf("unset(three): got %v, want nil", err)
	}
	set(Brand{}, Brand{FontFamily: new("sans"), InstructionsReveal: new("a\nb")})
	for _, name := range []string{"", "logo", "Primary_Color", "primary_color "} {
		if err := b.unset([]string{name}); !errors.Is(err, refusal.ErrInvalid) {
			t.Errorf("unset(%q): got %v, want %v", name, err, refusal.ErrInvalid)
		}
	}
}

// What a brand keeps is shown on pages, so nothing gets in that is not of its
// form as a whole.
func TestBrandValues(t *testing.T) {
	t.Parallel()
	accepted := map[string][]string{
		"primary_color":       {"#abc", "#ABCDEF", "#012345"},
		"colour":              {"#fff"},
		"font_family":         {"sans", "serif", "mono", "sans-serif", "monospace"},
		"corner_style":        {"rounded", "square", "pill"},
		"locale":              {"pt", "pt_BR", "pt-BR"},
		"description":         {"", strings.Repeat("ü", 200), "<b>text</b>"},
		"instructions_reveal": {"a\nb", strings.Repeat("𝄞", 500), strings.Repeat("x\r\n", 250)},
	}
	refused := map[string][]string{
		"primary_color": {"", "#", "#ab", "#abcd", "#abcdefa", "abc", "#ggg", "#abc\n", "\n#abc", "x\n#abc\ny", "#abc;}body{", "#аbс", "red", " #abc"},
		"colour":        {"#12", "#12345g", "url(x)"},
		"font_family":   {"", "Sans", "sans\n", "Comic Sans", "sans,serif", "expression(x)"},
		"corner_style":  {"", "round", "pill\n", "PILL"},
		"locale":        {"", "p", "PT", "pt_", "pt_br", "pt_BRA", "p1", "pt-BR-x", "../x", "pt_BR\n", "Р_BR"},
		"description":   {strings.Repeat("ü", 201), "a\x00b", "a\tb", "a\rb", "\x1b[31m", "\xff"},
		"instructions_post_reveal": {
			strings.Repeat("x", 501), "a\x7fb", "a\u0085b", "\xed\xa0\x80",
		},
		"instructions_pre_reveal": {"\x00"},
	}
	for name, values := range accepted {
		for _, value := range values {
			if err := setBrand(name, value); err != nil {
				t.Errorf("set(%s, %q): got %v, want nil", name, value, err)
			}
		}
	}
	for name, values := range refused {
		for _, value := range values {
			err := setBrand(name, value)
			if invalid, ok := errors.AsType[*refusal.InvalidError](err); !ok || invalid.Field != name {
				t.Errorf("set(%s, %q): got %v, want that field refused", name, value, err)
			}
		}
	}
	for name, text := range map[string]string{
		"primary_color": "Invalid primary color", "font_family": "Invalid font family", "corner_style": "Invalid button style",
	} {
		if invalid, ok := errors.AsType[*refusal.InvalidError](setBrand(name, "x")); !ok || !strings.HasPrefix(invalid.Text, text) {
			t.Errorf("set(%s, x): got %v, want a text that begins with %q", name, invalid, text)
		}
	}
}

func setBrand(name, value string) error {
	var change, brand Brand
	for _, f := range change.fields() {
		if f.name == name {
			*f.text = &value
		}
	}
	return brand.set(change)
}

// A value that is accepted is accepted again as it was kept, and fits its
// limits.
func FuzzBrand(f *testing.F) {
	for _, seed := range []string{"#abc", "sans-serif", "pill", "pt-BR", "a\r\nb", "\r\r\n\n", "\xff", strings.Repeat("x", 501)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var change Brand
		for _, field := range change.fields() {
			if field.text == nil {
				continue
			}
			kept, problem := field.clean(value)
			if problem != "" {
				continue
			}
			if again, problem := field.clean(kept); problem != "" || again != kept {
				t.Errorf("clean(%s, %q): got %q, %q, want the same again", field.name, kept, again, problem)
			}
			if !utf8.ValidString(kept) || utf8.RuneCountInString(kept) > 500 {
				t.Errorf("clean(%s, %q): got %d bytes, want a short text", field.name, value, len(kept))
			}
		}
	})
}
