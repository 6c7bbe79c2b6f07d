package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

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

// printHelp prints the help of a command.
func printHelp(w io.Writer, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	fmt.Fprintf(w, "%s\n\nUsage: %s\n", about(c), usageLine(c))
	for _, list := range commandLists(c) {
		fmt.Fprintf(w, "\n%s:\n", list.title)
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		for _, sub := range list.commands {
			fmt.Fprintf(out, "  %s\t%s\n", sub.Use, sub.Short)
		}
		out.Flush()
	}
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
		fmt.Fprintf(w, "\nRun \"%s COMMAND --help\" for help on a command.\n", c.CommandPath())
	}
}

// about is what a command does, as a paragraph or more.
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
	if len(flagLists(c)) > 0 {
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

// flagLists returns the flags of a command alone by their names, then the
// settings that it shares with others, in the order in which it got them.
func flagLists(c *cobra.Command) []flagList {
	lists := []flagList{{title: "Flags"}}
	c.Flags().SortFlags = false
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
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

// flagTitle shows how a flag is given, and the variable that stands for it.
func flagTitle(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	title := strings.TrimSpace("--" + f.Name + " " + value)
	if value != "" && f.NoOptDefVal != "" {
		title = "--" + f.Name + "[=" + value + "]"
	}
	if f.Shorthand != "" {
		title = "-" + f.Shorthand + ", " + title
	}
	if variable := f.Annotations[variableAnnotation]; variable != nil {
		title += "   (" + variable[0] + ")"
	}
	return title
}

// flagText says what a flag does, and its default.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
		text += " (default " + f.DefValue + ")"
	}
	return text
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
