package command

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                      nil,
		"one":                   {"one"},
		"one two":               {"one two"},
		"seven bytes":           {"seven", "bytes"},
		"an-overlong-word fits": {"an-overlong-word", "fits"},
	} {
		if got := wrap(text, 8); !slices.Equal(got, want) {
			t.Errorf("wrap(%q, 8): got %q, want %q", text, got, want)
		}
	}
}
