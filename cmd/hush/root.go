package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// The groups of commands in the program's help.
const (
	groupServer = "server"
	groupAdmin  = "admin"
	groupOther  = "other"
)

// suggestionDistance is how many letters may be wrong in the name of a command
// for it to be suggested.
const suggestionDistance = 2

// movedCommands are those that stood below "hush" before they moved below
// "hush admin".
func movedCommands() []string { return []string{"account", "token", "domain", "place", "burn"} }

// rootCommand returns "hush" with every command below it. The commands share no
// state with those of another call.
func (p program) rootCommand() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "hush",
		Short: "share a secret once",
		Long: `Hush shares a secret once: it creates a link that opens exactly once.

Start here:
  hush serve                 on http://127.0.0.1:7143, data in ./hush-data
  curl -d secret=hello http://127.0.0.1:7143/api/v1/share
  hush admin account create --role colonel you@example.com

Every flag of "hush serve" has a variable: --base-url is HUSH_BASE_URL.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: p.readEnvironment,
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { printHelp(p.stdout, c) })
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: groupServer, Title: "Server"},
		&cobra.Group{ID: groupAdmin, Title: "Administration"},
		&cobra.Group{ID: groupOther, Title: "Other"},
	)
	p.group(root,
		inGroup(groupServer, p.serveCommand(), p.healthcheckCommand(), p.keygenCommand(), p.routesCommand()),
		inGroup(groupAdmin, p.adminCommand()),
		inGroup(groupOther, p.versionCommand(), p.manCommand()),
	)
	choose := root.RunE
	root.Flags().BoolVar(&showVersion, "version", false, "print the release")
	root.RunE = func(c *cobra.Command, args []string) error {
		if showVersion {
			_, err := fmt.Fprintln(p.stdout, "hush", version)
			return err
		}
		return choose(c, args)
	}
	p.addHelpAndCompletion(root)
	completeFlags(root)
	return root
}

func inGroup(id string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = id
	}
	return commands
}

// group makes c a command that does nothing but hold others.
func (p program) group(c *cobra.Command, lists ...[]*cobra.Command) *cobra.Command {
	for _, list := range lists {
		c.AddCommand(list...)
	}
	c.Args = cobra.ArbitraryArgs // unknown commands are RunE's to refuse
	c.SuggestionsMinimumDistance = suggestionDistance
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		printHelp(p.stderr, c)
		return usage("a command is missing")
	}
	return c
}

// addHelpAndCompletion adds the commands that cobra brings, as strict as ours.
func (p program) addHelpAndCompletion(root *cobra.Command) {
	root.SetHelpCommand(inGroup(groupOther, p.helpCommand())[0])
	root.InitDefaultHelpCmd()
	root.SetCompletionCommandGroupID(groupOther)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "print the completion script of a shell"
		p.group(c)
		for _, shell := range c.Commands() {
			shell.Short = "print the completion script of " + shell.Name()
			shell.Args = takes(0, 0)
		}
	}
}

// readEnvironment sets flags from the environment before any command runs,
// except those of completion, which cannot report an error.
func (p program) readEnvironment(c *cobra.Command, _ []string) error {
	if c.Name() == cobra.ShellCompRequestCmd {
		return nil
	}
	return applyEnvironment(c.Flags(), p.environment)
}

func (p program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the release", Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, version)
			return err
		},
	}
}

func (p program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]...", Short: "print the help of a command", Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownCommand(found, rest[0])
			}
			if err == nil {
				printHelp(p.stdout, found)
			}
			return err
		},
	}
}
