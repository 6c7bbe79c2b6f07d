package flags_test

import (
	"testing"

	"github.com/spf13/pflag"

	"hush/cmd/hush/flags"
)

// A variable of a shell is not set, so that a flag gets nothing: --passphrase-file
// "$UNSET" would share without a passphrase.
func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"--text=a", "--list=b", "--switch"}, ""},
		{[]string{"--text="}, "text"},
		{[]string{"--text", ""}, "text"},
		{[]string{"--list="}, "list"},
		{[]string{"--list=", "--list=b"}, "list"},
	} {
		var text string
		var list []string
		var on bool
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Text(&text, "", "text")(set, "text")
		flags.Repeated(&list, "list", func(text string) ([]string, error) { return flags.SplitList(text), nil })(set, "list")
		flags.Switch(&on, "switch")(set, "switch")
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		got := ""
		if f := flags.Empty(set); f != nil {
			got = f.Name
		}
		if got != c.want {
			t.Errorf("Empty(%q): got %q, want %q", c.args, got, c.want)
		}
	}
}
