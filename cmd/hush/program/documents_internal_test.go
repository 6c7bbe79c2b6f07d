package program

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/console"
	"hush/testtier/docs"
)

var (
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	hushCall  = regexp.MustCompile(`^(?:[a-z]*\$ )?(?:\./|go run \./cmd/)?hush( .*)?$`)
	dashed    = regexp.MustCompile(`^--[a-z][a-z-]*|^-[a-z]$`)
	flagSpan  = regexp.MustCompile(`^--[a-z][a-z-]*(?:[= ][\w/,. -]+)?$`)
	quotedArg = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	separator = regexp.MustCompile(`\s*(?:\||&&|\s#\s)\s*`)
)

// Commands and flags that documents name exist, where operators read about them.
func TestDocumentsNameCommands(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../../..")
	names, err := docs.Names(tree)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, name := range names {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		root := program{console: &console.Console{}}.rootCommand()
		ofTools := slices.Contains([]string{"performance.md", "reliability.md"}, path.Base(name))
		for _, call := range callsIn(string(text)) {
			if ofTools && strings.HasPrefix(call, "-") {
				continue // a flag of tools/hush by itself
			}
			calls++
			if wrong := wrongCall(root, call); wrong != "" {
				t.Errorf("%s has %q: got no %s, want one", name, call, wrong)
			}
		}
	}
	if calls < 40 {
		t.Errorf("calls of hush in documents: got %d, want 40 or more", calls)
	}
	for call, want := range map[string]string{
		"hush admin account list":          "",
		"hush serve --data DIR":            "",
		"hush":                             "",
		"hush acount list":                 "command acount",
		"hush admin backup --data D":       "",
		"hush admin backup --plain nosuch": "command nosuch",
		"hush admin account show x":        "",
		"hush admin acount":                "command acount",
		"hush serve --dat DIR":             "flag --dat",
		"--base-url":                       "",
		"hush request 'a title' --ttl 1d":  "",
		"hush request 'a title' --tll 1d":  "flag --tll",
		"--no-such-flag=off":               "flag --no-such-flag",
	} {
		if got := wrongCall(program{console: &console.Console{}}.rootCommand(), call); got != want {
			t.Errorf("wrongCall(%q): got %q, want %q", call, got, want)
		}
	}
}

// callsIn returns the calls of hush in a document's code, and the flags that it
// names by themselves.
func callsIn(text string) (calls []string) {
	text = strings.ReplaceAll(text, "\\\n", "")
	inBlock := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inBlock = !inBlock
			continue
		}
		if inBlock {
			for _, part := range separator.Split(strings.TrimSpace(line), -1) {
				if match := hushCall.FindStringSubmatch(part); match != nil {
					calls = append(calls, "hush"+match[1])
				}
			}
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
			if match := hushCall.FindStringSubmatch(span[1]); match != nil {
				calls = append(calls, "hush"+match[1])
			} else if flagSpan.MatchString(span[1]) {
				calls = append(calls, span[1])
			}
		}
	}
	return calls
}

// wrongCall returns what a call names and root does not have, or "". A flag by
// itself may be any command's.
func wrongCall(root *cobra.Command, call string) string {
	words := strings.Fields(quotedArg.ReplaceAllString(call, "ARGUMENT"))
	command := root
	if flag := dashed.FindString(words[0]); flag != "" {
		if !anyFlag(root, flag) {
			return "flag " + flag
		}
		return ""
	}
	value := false // of the flag before
	for _, word := range words[1:] {
		if value {
			value = false
			continue
		}
		if word == "--" {
			return "" // the rest is for another program
		}
		if flag := dashed.FindString(word); flag != "" {
			found := lookUp(command, flag)
			if flag != "--help" && found == nil {
				return "flag " + flag
			}
			value = found != nil && found.NoOptDefVal == "" && flag == word
			continue
		}
		if !command.HasSubCommands() || strings.ToUpper(word) == word || strings.HasPrefix(word, ">") {
			continue
		}
		below, _, err := command.Find([]string{word})
		if err != nil || below == command {
			return "command " + word
		}
		command = below
	}
	return ""
}

func lookUp(command *cobra.Command, flag string) *pflag.Flag {
	if short, ok := strings.CutPrefix(flag, "-"); ok && len(short) == 1 {
		return command.Flags().ShorthandLookup(short)
	}
	return command.Flags().Lookup(strings.TrimPrefix(flag, "--"))
}

func anyFlag(command *cobra.Command, flag string) bool {
	if flag == "--help" || lookUp(command, flag) != nil {
		return true
	}
	for _, below := range command.Commands() {
		if anyFlag(below, flag) {
			return true
		}
	}
	return false
}
