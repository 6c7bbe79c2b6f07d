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

// --help leaves details to --help-all, and says so. A command without details is the same
// in both.
func TestDetails(t *testing.T) {
	t.Parallel()
	makeCommand := func() *cobra.Command {
		c := &cobra.Command{Use: "top", Short: "do a thing", Run: func(*cobra.Command, []string) {}}
		c.Flags().String("often", "", "used `daily`; by most")
		c.Flags().String("seldom", "", "used `yearly`")
		addHelpFlags(c)
		return c
	}
	both := func(c *cobra.Command) (brief, full string) {
		var short, long strings.Builder
		printHelp(&short, c)
		printFullHelp(&long, c)
		return short.String(), long.String()
	}
	c := makeCommand()
	MarkDetail(c.Flags().Lookup("seldom"))
	AddDetails(c, "It is done\nat night.")
	brief, full := both(c)
	if want := "Do a thing.\n\nUsage: top [FLAGS]\n\nFlags:\n  --often daily   used daily\n\nRun \"top --help-all\" for all flags and details.\n"; brief != want {
		t.Errorf("printHelp: got\n%s\nwant\n%s", brief, want)
	}
	want := "Do a thing.\n\nIt is done at night.\n\nUsage: top [FLAGS]\n\nFlags:\n  --often daily\n      used daily; by most\n  --seldom yearly\n      used yearly\n\nHelp:\n"
	if !strings.HasPrefix(full, want) {
		t.Errorf("printFullHelp: got\n%s\nwant it to begin with\n%s", full, want)
	}
	c = makeCommand()
	c.Flags().Lookup("often").Usage = "used `daily`"
	if brief, _ := both(c); strings.Contains(brief, "help-all") {
		t.Errorf("printHelp of a command without details: got\n%s\nwant no pointer to them", brief)
	}
}

// A paragraph is broken anew, and a list or an example in it is not.
func TestWrapText(t *testing.T) {
	t.Parallel()
	got := wrapText("one two\nthree:\n  a   list\n  of two\n\nfour", 9)
	if want := []string{"one two", "three:", "  a   list", "  of two", "", "four"}; !slices.Equal(got, want) {
		t.Errorf("wrapText: got %q, want %q", got, want)
	}
}
