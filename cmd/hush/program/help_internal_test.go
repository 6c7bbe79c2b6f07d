package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/server/settings"
)

// The screen that help must fit.
const (
	screenLines   = 40
	screenColumns = 80
)

// commandsBelow returns c and all commands below it, the hidden ones too.
func commandsBelow(c *cobra.Command) []*cobra.Command {
	found := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		found = append(found, commandsBelow(sub)...)
	}
	return found
}

func newRoot() *cobra.Command { return program{console: &console.Console{}}.rootCommand() }

// printed runs a command line and returns what it prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, messages strings.Builder
	if code := Run(t.Context(), args, nil, strings.NewReader(""), &out, &messages); code != command.ExitOK || messages.Len() > 0 {
		t.Errorf("hush %s: got the code %d and the messages %q, want neither", args, code, messages.String())
	}
	return out.String()
}

// The help of every command has an example and fits a screen. --help-all has the same,
// and all flags.
func TestHelpOfCommands(t *testing.T) {
	t.Parallel()
	for _, c := range commandsBelow(newRoot()) {
		path := strings.Fields(c.CommandPath())[1:]
		brief, full := printed(t, append(path, "--help")...), printed(t, append(path, "--help-all")...)
		lines := strings.Split(strings.TrimSuffix(brief, "\n"), "\n")
		if len(lines) > screenLines {
			t.Errorf("%s --help: got %d lines, want at most %d", c.CommandPath(), len(lines), screenLines)
		}
		for _, line := range slices.Concat(lines, strings.Split(full, "\n")) {
			if len(line) > screenColumns {
				t.Errorf("help of %s: got %q, want lines of at most %d columns", c.CommandPath(), line, screenColumns)
			}
		}
		for _, help := range []string{brief, full} {
			if !strings.Contains(help, "\n\nExamples:\n  # ") {
				t.Errorf("help of %s: got\n%swant an example that says what it does", c.CommandPath(), help)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(full, "--"+f.Name) {
				t.Errorf("%s --help-all: got\n%swant --%s in it", c.CommandPath(), full, f.Name)
			}
		})
		if hidden := hasHiddenFlag(c, brief); hidden != "" && !strings.HasSuffix(brief, fmt.Sprintf("\nRun \"%s --help-all\" for all flags and details.\n", c.CommandPath())) {
			t.Errorf("%s --help: got\n%swant a last line that says where --%s is", c.CommandPath(), brief, hidden)
		}
	}
}

// -h and "hush help" print what --help does.
func TestWaysToHelp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "serve", "share", "run", "admin", "admin backup", "completion bash"} {
		path := strings.Fields(name)
		want := printed(t, append(path, "--help")...)
		for _, other := range [][]string{append(path, "-h"), append([]string{"help"}, path...)} {
			if got := printed(t, other...); got != want {
				t.Errorf("hush %s: got\n%swant the help of --help", other, got)
			}
		}
	}
}

// hasHiddenFlag returns a flag of c that a help does not show, or "".
func hasHiddenFlag(c *cobra.Command, help string) (name string) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !strings.HasPrefix(f.Name, "help") && !strings.Contains(help, "--"+f.Name+" ") {
			name = f.Name
		}
	})
	return name
}

// What people see first of the two commands that they begin with.
func TestHelpOfFirstCommands(t *testing.T) {
	t.Parallel()
	for name, shown := range map[string][]string{
		"share": {"copy", "generate", "passphrase-file", "passphrase-prompt", "server", "ttl", "watch"},
		"serve": {"acme", "backup-to", "base-url", "config", "data", "listen", "sign-up", "smtp-host", "tls-cert", "trusted-proxies"},
	} {
		help := printed(t, name, "--help")
		examples, usage := strings.Index(help, "\nExamples:\n"), strings.Index(help, "\nUsage: ")
		if lines := strings.Count(help, "\n"); lines < 24 || examples < 0 || examples > usage {
			t.Errorf("%s --help: got\n%swant examples first, and 24 lines or more", name, help)
		}
		_, list, _ := strings.Cut(help, "\nFlags:\n")
		for _, flag := range shown {
			if !strings.Contains(list, "\n  --"+flag) && !strings.HasPrefix(list, "  --"+flag) {
				t.Errorf("%s --help: got the flags\n%swant --%s", name, list, flag)
			}
		}
		if n := strings.Count(list, "\n  --") + 1; n < 10 || n > 15 {
			t.Errorf("%s --help: got %d flags, want about a dozen", name, n)
		}
	}
}

// Examples are true: each calls a command with flags, values and arguments that it takes,
// and one of them calls the command whose help it stands in, or one below that.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	for _, c := range commandsBelow(newRoot()) {
		own := false
		for _, call := range exampleCalls(c.Example) {
			called, err := parseCall(call)
			if err != nil {
				t.Errorf("%s: got %v for the example %q, want a call that parses", c.CommandPath(), err, call)
				continue
			}
			own = own || called == c.CommandPath() || c.HasAvailableSubCommands() && strings.HasPrefix(called, c.CommandPath()+" ")
			if called == "hush serve" {
				printed(t, slices.Concat([]string{"admin", "config", "check"}, slices.DeleteFunc(call[2:], namesConfig))...)
			}
		}
		if !own {
			t.Errorf("examples of %s: got none that calls it, want one", c.CommandPath())
		}
	}
	for call, want := range map[string]string{
		"hush share --tll 1h":                    "unknown flag",
		"hush share --ttl tomorrow":              "lifetime",
		"hush share --ttl":                       "needs an argument",
		"hush share a b":                         "more than one argument",
		"hush request lsit":                      "did you mean",
		"hush request a b":                       "in quotes",
		"hush admin account create":              "ADDRESS is missing",
		"hush admin acount list":                 "unknown command",
		"hush serve now":                         "unexpected argument",
		"hush shrae":                             "unknown command",
		"hush list --state ''":                   "must be one of",
		"hush open --output ''":                  "--output is empty",
		"HUSH_SERVR=x hush list":                 "HUSH_SERVR",
		"echo a | hush list 'a b' && hush share": "too many arguments",
	} {
		_, err := parseCall(exampleCalls(call)[0])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseCall(%s): got %v, want an error with %q", call, err, want)
		}
	}
}

// namesConfig reports whether an argument names a configuration file, which is not there
// in a test.
func namesConfig(argument string) bool {
	return argument == "--config" || strings.HasSuffix(argument, ".yaml")
}

// exampleCalls returns the words of each call of hush in examples, as a shell reads them.
// Variables that stand before the call come first.
func exampleCalls(examples string) (calls [][]string) {
	for line := range strings.Lines(strings.ReplaceAll(examples, "\\\n", "")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, words := range shellCalls(line) {
			at := slices.IndexFunc(words, func(word string) bool { return !strings.Contains(word, "=") })
			if at >= 0 && words[at] == "hush" {
				calls = append(calls, words)
			}
		}
	}
	return calls
}

// shellCalls splits a line into calls and their words. It knows quotes, pipes,
// substitutions and redirections, whose files are no words of a call.
func shellCalls(line string) [][]string {
	calls, word, quote := [][]string{nil}, "", rune(0)
	inWord, toFile := false, false
	endWord := func() {
		if inWord && !toFile {
			calls[len(calls)-1] = append(calls[len(calls)-1], word)
		}
		toFile = toFile && !inWord
		word, inWord = "", false
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\n':
			endWord()
		case strings.ContainsRune("|&;()", r):
			endWord()
			calls, toFile = append(calls, nil), false
		case r == '<' || r == '>':
			endWord()
			toFile = true
		default:
			word, inWord = word+string(r), true
		}
	}
	endWord()
	return calls
}

// parseCall does what the program does with a call before it runs the command. It returns
// the path of the command.
func parseCall(words []string) (path string, err error) {
	root := newRoot()
	for words[0] != "hush" {
		name, _, _ := strings.Cut(words[0], "=")
		if !slices.Contains(slices.Concat(command.ClientVariables(), settings.Variables()), name) {
			return "", fmt.Errorf("no command reads %s", name)
		}
		words = words[1:]
	}
	c, rest, err := root.Find(words[1:])
	if err != nil {
		return "", err
	}
	if err := c.ParseFlags(rest); err != nil {
		return "", err
	}
	if empty := flags.Empty(c.Flags()); empty != nil {
		return "", fmt.Errorf("--%s is empty", empty.Name)
	}
	args := c.Flags().Args()
	if c.HasAvailableSubCommands() && len(args) > 0 && !strings.Contains(c.Use, " ") {
		return "", fmt.Errorf("unknown command %q", args[0])
	}
	return c.CommandPath(), c.ValidateArgs(args)
}
