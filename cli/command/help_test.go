package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A section has its title in help only if it has a command, since others may get
// none.
func TestSections(t *testing.T) {
	t.Parallel()
	nothing := func(*cobra.Command, []string) error { return nil }
	c := Sections(&cobra.Command{Use: "top", Short: "hold others"},
		Section{Title: "None"},
		Section{Title: "Later", Commands: []*cobra.Command{{Use: "b", Short: "be second", RunE: nothing}}},
		Section{Title: "Again", Commands: []*cobra.Command{{Use: "a", Short: "be third", RunE: nothing}}},
	)
	var help strings.Builder
	printHelp(&help, c)
	if want := "\n\nLater:\n  b   be second\n\nAgain:\n  a   be third\n\n"; !strings.Contains(help.String(), want) || strings.Contains(help.String(), "None") {
		t.Errorf("help: got %q, want %q in it and no empty section", help.String(), want)
	}
}

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
