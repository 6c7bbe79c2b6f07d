package flags_test

import (
	"testing"

	"github.com/spf13/pflag"

	"hush/cli/flags"
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

// A list of commas and blanks would count as given, and mean nothing: a recipient without
// a word, or proxies that are not trusted.
func TestListsOfNothing(t *testing.T) {
	t.Parallel()
	parse := func(text string) ([]string, error) { return flags.SplitList(text), nil }
	for text, want := range map[string]bool{"a": true, "a,": true, " ,b": true, ",": false, " ": false, ", ,": false, "\t": false} {
		for name, define := range map[string]flags.Define{
			"list": flags.List(new([]string), "list", parse), "repeated": flags.Repeated(new([]string), "list", parse),
		} {
			set := pflag.NewFlagSet("", pflag.ContinueOnError)
			define(set, name)
			if err := set.Parse([]string{"--" + name, text}); (err == nil) != want {
				t.Errorf("Parse(--%s %q): got %v, want it to be taken %t", name, text, err, want)
			}
		}
	}
}

// A shell expands ~ at the beginning of a word alone, so that --data=~/x would make a
// folder called ~ in the working one.
func TestFromHome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""}, {[]string{"--file=/home/a", "--note=~/a"}, ""}, {[]string{"--file=a/~/b"}, ""},
		{[]string{"--file=~/a"}, "file"}, {[]string{"--folder=~"}, "folder"}, {[]string{"--folder=~a"}, ""},
		{[]string{"--file=~root/x"}, "file"}, {[]string{"--folder=~root/"}, "folder"}, {[]string{"--file=./~root/x"}, ""}, {[]string{"--note=~root/x"}, ""},
	} {
		var file, folder, note string
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Text(&file, "", "`file` with a key")(set, "file")
		flags.Text(&folder, "~/unset", "data `folder`")(set, "folder")
		flags.Text(&note, "", "`note` for people")(set, "note")
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		got := ""
		if f := flags.FromHome(set); f != nil {
			got = f.Name
		}
		if got != c.want {
			t.Errorf("FromHome(%q): got the flag %q, want %q", c.args, got, c.want)
		}
	}
}
