package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/console"
	"hush/cli/flags"
)

// UsageError is a wrong way to call the program, or one of its commands.
type UsageError struct {
	Text    string
	Command string // whose help shows what is right; empty for the command that was called
}

func (e *UsageError) Error() string { return e.Text }

// Usage returns a UsageError.
func Usage(format string, args ...any) error {
	return &UsageError{Text: withoutPassword(fmt.Sprintf(format, args...))}
}

// InFlag returns an error of what a flag names, such as a file that is missing, as a
// usage error with the name of the flag; nil for nil. An interrupted wait is no mistake.
func InFlag(name string, err error) error {
	if err == nil || errors.Is(err, console.ErrInterrupted) {
		return err
	}
	return Usage("--%s: %v", name, err)
}

// HasFile returns the error of InFlag if the file that a flag names is missing, so that
// it is said before anything is done. "-" and no file are none.
func HasFile(name, file string) error {
	if file == "" || file == "-" {
		return nil
	}
	_, err := os.Stat(file)
	return InFlag(name, err)
}

// credentials are the user and the password of a URL, which may have any character.
var credentials = regexp.MustCompile(`://.*@`)

// withoutPassword hides the passwords of URLs in what a mistaken command line
// is quoted in.
func withoutPassword(text string) string { return credentials.ReplaceAllString(text, "://…@") }

// ReportUsage prints a usage error of a command that was called, and where its
// help is. It returns the exit code.
func ReportUsage(w io.Writer, called *cobra.Command, wrong *UsageError) int {
	path := cmp.Or(wrong.Command, called.CommandPath())
	fmt.Fprintf(w, "%s: %v\nTry: %s --help\n", called.CommandPath(), wrong, path)
	return ExitUsage
}

// Takes accepts from least to most arguments, none of them empty. The command's usage
// line names each of them. The arguments of a command that calls a server may be secret,
// so that no error repeats them.
func Takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch n := len(args); {
		case n > most && IsClient(c):
			return Usage("too many arguments: at most %d", most)
		case n > most:
			return Usage("unexpected argument %q", args[most])
		case n < least:
			return Usage("%s is missing", argumentName(c, n))
		default:
			return NotEmpty(c, args)
		}
	}
}

// NotEmpty refuses an empty argument, as flags.Empty finds an empty flag: it would count
// as none, which means everything or everyone.
func NotEmpty(c *cobra.Command, args []string) error {
	if at := slices.Index(args, ""); at >= 0 {
		return Usage("%s is empty, as of a variable that is not set: give it a value, or leave it out", argumentName(c, at))
	}
	return nil
}

// argumentName returns the name of the argument at an index, as in "ID or NAME".
func argumentName(c *cobra.Command, at int) string {
	names := strings.Fields(c.Use)[1:]
	if at >= len(names) || strings.Contains(c.Use, "[-") { // it names a flag too
		return "an argument"
	}
	return strings.ReplaceAll(strings.Trim(names[at], "[]"), "|", " or ")
}

// flagError returns the usage error for flags that cannot be parsed. Behind a
// wrong command there is no telling which flags are right, so it names the
// command.
func flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); len(args) > 0 && c.HasAvailableSubCommands() && !takesArguments(c) {
		return unknownCommand(c, args[0])
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok && flags.IsSecret(wrong.GetFlag()) {
		return Usage("invalid argument for \"--%s\" flag: %v", wrong.GetFlag().Name, errors.Unwrap(err))
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		if c.Flags().Lookup(name) != nil {
			return Usage("flags begin with two dashes: --%s", name)
		}
		if near := nearestFlag(c, unknown.GetSpecifiedName()); near != "" {
			return Usage("%v; did you mean \"--%s\"?", err, near)
		}
	}
	return Usage("%v", err)
}

// nearestFlag returns the flag of c whose name is the most like name, or "" if
// none is like it.
func nearestFlag(c *cobra.Command, name string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return Nearest(name, names)
}

// Nearest returns the one of names that is the most like name, or "" if none is
// like it.
func Nearest(name string, names []string) string {
	if near := allNearest(name, names); len(near) > 0 {
		return near[0]
	}
	return ""
}

// allNearest returns those of names that are like name and equally near to it, in
// their order.
func allNearest(name string, names []string) (nearest []string) {
	least := suggestionDistance
	for _, known := range slices.Sorted(slices.Values(names)) {
		switch n := distance(name, known); {
		case n >= len(name) || n > least:
		case n < least:
			nearest, least = []string{known}, n
		default:
			nearest = append(nearest, known)
		}
	}
	return nearest
}

// distance returns how many bytes to insert, delete, replace or swap with the next one
// to turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// movedAnnotation is the annotation of a group that names the commands that
// stood beside it before they moved below it.
const movedAnnotation = "hush_moved"

// MarkMoved makes the error for a command beside group say that it stands below
// it now.
func MarkMoved(group *cobra.Command, names ...string) {
	annotate(group, movedAnnotation, strings.Join(names, " "))
}

// unknownCommand returns the usage error for a name that is no command of c.
func unknownCommand(c *cobra.Command, name string) error {
	for _, sub := range c.Commands() {
		if slices.Contains(strings.Fields(sub.Annotations[movedAnnotation]), name) {
			from, to := c.CommandPath()+" "+name, sub.CommandPath()+" "+name
			return &UsageError{Text: fmt.Sprintf("the command %q is now %q", from, to), Command: to}
		}
	}
	if strings.Contains(name, "://") {
		return Usage("a link is no command: see \"%s open --help\"", c.Root().Name())
	}
	text := fmt.Sprintf("unknown command %q", name)
	if near := nearestCommands(c, name); len(near) > 0 {
		text += fmt.Sprintf("; did you mean \"%s\"?", strings.Join(near, `" or "`))
	}
	return Usage("%s", text)
}

// nearestCommands returns the commands below c whose names are the most like name, else
// those whose names begin with it.
func nearestCommands(c *cobra.Command, name string) []string {
	var names, begun []string
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		names = append(names, sub.Name())
		if strings.HasPrefix(sub.Name(), strings.ToLower(name)) {
			begun = append(begun, sub.Name())
		}
	}
	if near := allNearest(name, names); len(near) > 0 {
		return near
	}
	return begun
}
