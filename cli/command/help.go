package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The annotations of a flag that is a setting.
const (
	groupAnnotation    = "hush_setting_group"
	variableAnnotation = "hush_setting_variable"
	notEmptyAnnotation = "hush_setting_not_empty"
)

// MarkSetting makes help show a flag in a group, with the variable that stands
// for it. Without one it is empty.
func MarkSetting(f *pflag.Flag, group, variable string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[groupAnnotation] = []string{group}
	if variable != "" {
		f.Annotations[variableAnnotation] = []string{variable}
	}
}

// MarkNotEmpty makes help say that the variable of a setting must not be empty.
func MarkNotEmpty(f *pflag.Flag) { f.Annotations[notEmptyAnnotation] = []string{"yes"} }

// The columns of help, and what stands before the text of a flag.
const (
	helpWidth  = 80
	flagIndent = "      "
)

// wrap breaks a text into lines of up to width bytes, between words.
func wrap(text string, width int) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// wrapText breaks the paragraphs of a text into lines of up to width bytes. Lines that
// begin with a blank, such as those of a list, stay as they are.
func wrapText(text string, width int) (lines []string) {
	var paragraph []string
	end := func() {
		lines = append(lines, wrap(strings.Join(paragraph, " "), width)...)
		paragraph = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		lines = append(lines, line)
	}
	end()
	return lines
}

// printHelp prints the help of a command that fits a screen: all but its details.
func printHelp(w io.Writer, c *cobra.Command) {
	printUse(w, c, about(c))
	var rows [][2]string
	for _, list := range flagLists(c) {
		for _, f := range list.flags {
			if list.title != helpGroup && !isDetail(f) {
				rows = append(rows, [2]string{flagName(f), flagSummary(f)})
			}
		}
	}
	if len(rows) > 0 {
		fmt.Fprint(w, "\nFlags:\n")
		printColumns(w, rows)
	}
	printNext(w, c)
}

// printFullHelp prints the help of a command with all its details: every flag, in its
// group and with its variable.
func printFullHelp(w io.Writer, c *cobra.Command) {
	printUse(w, c, aboutInFull(c))
	for _, list := range flagLists(c) {
		fmt.Fprintf(w, "\n%s:\n", list.title)
		for _, f := range list.flags {
			fmt.Fprintln(w, "  "+flagTitle(f))
			for _, line := range wrap(flagText(f), helpWidth-len(flagIndent)) {
				fmt.Fprintln(w, flagIndent+line)
			}
			if f.Annotations[notEmptyAnnotation] != nil {
				fmt.Fprintln(w, flagIndent+"(not empty)")
			}
		}
	}
	if c.HasAvailableSubCommands() {
		printNextCommand(w, c)
	}
}

// printUse prints a text on a command, its examples, how it is called, and its commands.
func printUse(w io.Writer, c *cobra.Command, text string) {
	for _, line := range wrapText(text, helpWidth) {
		fmt.Fprintln(w, line)
	}
	if c.Example != "" {
		fmt.Fprint(w, "\nExamples:\n")
		for line := range strings.Lines(strings.TrimSpace(c.Example)) {
			fmt.Fprintln(w, "  "+strings.TrimSuffix(line, "\n"))
		}
	}
	fmt.Fprintf(w, "\nUsage: %s\n", usageLine(c))
	for _, list := range commandLists(c) {
		fmt.Fprintf(w, "\n%s:\n", list.title)
		var rows [][2]string
		for _, sub := range list.commands {
			rows = append(rows, [2]string{sub.Use, sub.Short})
		}
		printColumns(w, rows)
	}
}

// printNext prints which help says more than that of a command.
func printNext(w io.Writer, c *cobra.Command) {
	if c.HasAvailableSubCommands() {
		printNextCommand(w, c)
	} else if hasDetails(c) {
		fmt.Fprintln(w)
	}
	if hasDetails(c) {
		fmt.Fprintf(w, "Run \"%s --%s\" for all flags and details.\n", c.CommandPath(), fullHelpName)
	}
}

func printNextCommand(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, "\nRun \"%s COMMAND --help\" for help on a command.\n", c.CommandPath())
}

// printColumns prints rows of two columns. The second is broken into lines where the
// screen ends.
func printColumns(w io.Writer, rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		first := row[0]
		for _, line := range wrap(row[1], helpWidth-width-len("     ")) {
			fmt.Fprintf(w, "  %-*s   %s\n", width, first, line)
			first = ""
		}
	}
}

// about is what a command does, as a paragraph or more, without its details.
func about(c *cobra.Command) string {
	if c.Long != "" {
		return strings.TrimSpace(c.Long)
	}
	return strings.ToUpper(c.Short[:1]) + c.Short[1:] + "."
}

// usageLine shows how a command is called: without one of its commands, if its use
// says how.
func usageLine(c *cobra.Command) string {
	_, args, alone := strings.Cut(c.Use, " ")
	if c.HasAvailableSubCommands() && !alone {
		return c.CommandPath() + " COMMAND"
	}
	line := c.CommandPath()
	if slices.ContainsFunc(flagLists(c), func(list flagList) bool { return list.title != helpGroup }) {
		line += " [FLAGS]"
	}
	return strings.TrimSpace(line + " " + args)
}

// commandList is a group of commands in help.
type commandList struct {
	title    string
	commands []*cobra.Command
}

func commandLists(c *cobra.Command) []commandList {
	lists := make([]commandList, 0, len(c.Groups())+1)
	for _, group := range c.Groups() {
		lists = append(lists, commandList{title: group.Title})
	}
	if len(lists) == 0 {
		lists = append(lists, commandList{title: "Commands"})
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() && sub.Name() != "help" {
			continue
		}
		at := slices.IndexFunc(c.Groups(), func(g *cobra.Group) bool { return g.ID == sub.GroupID })
		list := &lists[max(at, 0)]
		list.commands = append(list.commands, sub)
	}
	return slices.DeleteFunc(lists, func(list commandList) bool { return len(list.commands) == 0 })
}

// flagList is a group of flags in help.
type flagList struct {
	title string
	flags []*pflag.Flag
}

// flagLists returns the flags of a command alone by their names, then those that it
// shares with others by their groups, in the order in which it got them.
func flagLists(c *cobra.Command) []flagList {
	lists := []flagList{{title: "Flags"}}
	c.Flags().SortFlags = false
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		at := 0
		if group := f.Annotations[groupAnnotation]; group != nil {
			at = slices.IndexFunc(lists, func(list flagList) bool { return list.title == group[0] })
			if at < 0 {
				lists, at = append(lists, flagList{title: group[0]}), len(lists)
			}
		}
		lists[at].flags = append(lists[at].flags, f)
	})
	slices.SortFunc(lists[0].flags, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	return slices.DeleteFunc(lists, func(list flagList) bool { return len(list.flags) == 0 })
}

// flagName shows how a flag is given.
func flagName(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	name := strings.TrimSpace("--" + f.Name + " " + value)
	if value != "" && f.NoOptDefVal != "" {
		name = "--" + f.Name + "[=" + value + "]"
	}
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	return name
}

// flagTitle shows how a flag is given, and the variable that stands for it.
func flagTitle(f *pflag.Flag) string {
	if variable := f.Annotations[variableAnnotation]; variable != nil {
		return flagName(f) + "   (" + variable[0] + ")"
	}
	return flagName(f)
}

// flagText says what a flag does, and its default.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	return text + flagDefault(f)
}

// flagSummary is flagText without what the text adds behind a semicolon.
func flagSummary(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	text, _, _ = strings.Cut(text, ";")
	return text + flagDefault(f)
}

// flagDefault names the default of a flag, or is empty.
func flagDefault(f *pflag.Flag) string {
	if f.DefValue == "" || f.DefValue == "false" || f.DefValue == "[]" {
		return ""
	}
	return " (default " + f.DefValue + ")"
}

// Comment returns what help says of a flag, as lines that begin with "# ".
func Comment(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	var comment strings.Builder
	for _, line := range wrap(usage, helpWidth-2) {
		comment.WriteString("# " + line + "\n")
	}
	return comment.String()
}
