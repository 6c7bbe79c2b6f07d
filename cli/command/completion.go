package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/flags"
)

// describeCompletion gives "hush completion", which cobra makes, its texts.
func describeCompletion(c *cobra.Command) {
	c.Short = "print the completion script for a shell"
	c.Long = `Print a script with which a shell completes the names of commands, flags and their
values. The help of each shell says where the shell looks for it.`
	c.Example = `# Complete in this shell, which is bash
source <(hush completion bash)`
	Group(c)
	for _, shell := range c.Commands() {
		shell.Short, shell.Args = "print the completion script for "+shell.Name(), Takes(0, 0)
		shell.Long, shell.Example = aboutShell(shell.Name())
	}
}

// aboutShell returns what help says of the completion script for a shell.
func aboutShell(name string) (long, examples string) {
	switch name {
	case "bash":
		return `Print the completion script for bash. It needs the package bash-completion.`,
			`# Complete in this shell
source <(hush completion bash)
# Complete in every new shell, on Linux
hush completion bash > /etc/bash_completion.d/hush
# The same on macOS
hush completion bash > $(brew --prefix)/etc/bash_completion.d/hush`
	case "zsh":
		return `Print the completion script for zsh. Where the shell completes nothing yet, put
"autoload -U compinit; compinit" into ~/.zshrc.`,
			`# Complete in this shell
source <(hush completion zsh)
# Complete in every new shell, on Linux
hush completion zsh > "${fpath[1]}/_hush"
# The same on macOS
hush completion zsh > $(brew --prefix)/share/zsh/site-functions/_hush`
	case "fish":
		return `Print the completion script for fish.`,
			`# Complete in this shell
hush completion fish | source
# Complete in every new shell
hush completion fish > ~/.config/fish/completions/hush.fish`
	default:
		return `Print the completion script for PowerShell. For every new shell, add it to your
profile.`,
			`# Complete in this shell
hush completion powershell | Out-String | Invoke-Expression`
	}
}

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
