package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/flags"
)

// completeFlags tells the shell what the values of flags are, below c and in c
// itself: words, folders, files, or nothing that it could know.
func completeFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		// It fails only for a flag that c does not have or that has one already.
		_ = c.RegisterFlagCompletionFunc(f.Name, completion(f))
	})
	if c.Runnable() && !c.HasSubCommands() && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, sub := range c.Commands() {
		completeFlags(sub)
	}
}

// Unquote takes the marks around the name of a flag's value out of the texts of
// all flags: shells show a text as it is.
func Unquote(root *cobra.Command) {
	root.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	for _, sub := range root.Commands() {
		Unquote(sub)
	}
}

// completion returns what completes the value of a flag.
func completion(f *pflag.Flag) cobra.CompletionFunc {
	if words := flags.Words(f); len(words) > 0 {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	switch name, _ := pflag.UnquoteUsage(f); name {
	case "file":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	case "folder":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	default:
		return cobra.NoFileCompletions
	}
}

// CompleteFiles completes the first argument as a file.
func CompleteFiles(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}
