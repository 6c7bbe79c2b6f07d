// Package command is what all commands of the program share: how they are
// grouped, which arguments they take, how a wrong call is reported, and their
// help, completion and manual pages. It knows no command of its own.
package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// ExitError ends the program with a code. Without a cause it was printed before.
type ExitError struct {
	Code  int
	Cause error
}

// Error returns the text of the cause.
func (e *ExitError) Error() string {
	if e.Cause == nil {
		return ""
	}
	return e.Cause.Error()
}

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Cause }

// suggestionDistance is how many letters may be wrong in the name of a command
// or flag for it to be suggested.
const suggestionDistance = 2

// Group makes c a command that does nothing but hold others.
func Group(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.AddCommand(commands...)
	c.Args = cobra.ArbitraryArgs // unknown commands are RunE's to refuse
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		printHelp(c.ErrOrStderr(), c)
		return Usage("a command is missing")
	}
	return c
}

// Section is a part of the commands of a group, with its title in help.
type Section struct {
	Title    string
	Commands []*cobra.Command
}

// Sections makes c a Group whose commands help shows under the titles of sections,
// in their order. A section without commands is not shown.
func Sections(c *cobra.Command, sections ...Section) *cobra.Command {
	for _, section := range sections {
		c.AddGroup(&cobra.Group{ID: section.Title, Title: section.Title})
		for _, sub := range section.Commands {
			sub.GroupID = section.Title
			c.AddCommand(sub)
		}
	}
	return Group(c)
}

// Complete gives a root with all its commands their help, their completion and
// the errors for wrong calls. The commands that it adds are in the section of a
// title.
func Complete(root *cobra.Command, title string) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if args := c.Flags().Args(); c.HasSubCommands() && !takesArguments(c) && len(args) > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "hush: %v\n\n", unknownCommand(c, args[0]))
		}
		if wantsFullHelp(c) {
			printFullHelp(c.OutOrStdout(), c)
			return
		}
		printHelp(c.OutOrStdout(), c)
	})
	root.SetFlagErrorFunc(flagError)
	help := helpCommand()
	help.GroupID = title
	root.SetHelpCommand(help)
	root.InitDefaultHelpCmd()
	root.SetCompletionCommandGroupID(title)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			describeCompletion(c)
		}
	}
	addHelpFlags(root)
	completeFlags(root)
}

// takesArguments reports whether a command does something by itself with what is not the
// name of a command below it.
func takesArguments(c *cobra.Command) bool { return strings.Contains(c.Use, " ") }

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]...", Short: "print help for a command", Args: cobra.ArbitraryArgs,
		Example: `# Print the help of "hush admin backup"
hush help admin backup`,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownCommand(found, rest[0])
			}
			if err == nil {
				printHelp(c.OutOrStdout(), found)
			}
			return err
		},
	}
}
