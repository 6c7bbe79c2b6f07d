package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
			fmt.Fprintln(w, "      "+flagText(f))
		}
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\"%s COMMAND --help\" prints the help of a command.\n", c.CommandPath())
	}
}

// about is what a command does, as a paragraph or more.
func about(c *cobra.Command) string {
	if c.Long != "" {
		return strings.TrimSpace(c.Long)
	}
	return strings.ToUpper(c.Short[:1]) + c.Short[1:] + "."
}

// usageLine shows how a command is called.
func usageLine(c *cobra.Command) string {
	if c.HasAvailableSubCommands() {
		return c.CommandPath() + " COMMAND"
	}
	_, args, _ := strings.Cut(c.Use, " ")
	return strings.TrimSpace(c.CommandPath() + " [FLAGS] " + args)
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

// flagLists returns the flags of a command alone, then the settings that it
// shares with others, in the order in which settings has them.
func flagLists(c *cobra.Command) []flagList {
	own := flagList{title: "Flags"}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[settingGroup] == nil && f.Name != "help" {
			own.flags = append(own.flags, f)
		}
	})
	lists := []flagList{own}
	for _, group := range new(settings).groups() {
		list := flagList{title: group.title}
		for _, setting := range group.settings {
			if f := c.LocalFlags().Lookup(setting.name); f != nil {
				list.flags = append(list.flags, f)
			}
		}
		lists = append(lists, list)
	}
	return slices.DeleteFunc(lists, func(list flagList) bool { return len(list.flags) == 0 })
}

// flagTitle shows how a flag is given, and the variable that stands for it.
func flagTitle(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	title := strings.TrimSpace("--" + f.Name + " " + value)
	if f.Annotations[settingGroup] != nil {
		title += "   (" + variable(f.Name) + ")"
	}
	return title
}

// flagText says what a flag does, and its default.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" {
		text += " (default " + f.DefValue + ")"
	}
	return text
}
