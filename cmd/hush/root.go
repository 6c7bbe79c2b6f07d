package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hush/cmd/hush/admin"
	"hush/cmd/hush/backup"
	"hush/cmd/hush/command"
	"hush/cmd/hush/compact"
	"hush/cmd/hush/config"
	"hush/cmd/hush/doctor"
	"hush/cmd/hush/migrate"
	"hush/cmd/hush/restore"
	"hush/cmd/hush/settings"
	"hush/cmd/hush/store"
)

// The groups of commands in the program's help.
const (
	groupServer = "server"
	groupAdmin  = "admin"
	groupOther  = "other"
)

// rootCommand returns "hush" with every command below it. The commands share no
// state with those of another call.
func (p program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hush",
		Short: "share a secret once",
		Long: `Hush shares a secret once: it creates a link that opens at most once.

To try it out:
  hush serve
  curl -d secret=hello http://127.0.0.1:7143/api/v1/share
  hush admin account create --role colonel you@example.com

Flags can also be set by environment variables, --base-url by HUSH_BASE_URL, and in
a configuration file: see "hush config".`,
		PersistentPreRunE: p.readSettings,
	}
	root.SetIn(p.console.In)
	root.SetOut(p.console.Out)
	root.SetErr(p.console.Err)
	root.AddGroup(
		&cobra.Group{ID: groupServer, Title: "Server"},
		&cobra.Group{ID: groupAdmin, Title: "Administration"},
		&cobra.Group{ID: groupOther, Title: "Other"},
	)
	command.Group(root,
		in(groupServer, p.serveCommand()), in(groupServer, p.healthcheckCommand()),
		in(groupServer, config.Command(p.console, p.environment)), in(groupServer, p.keygenCommand()),
		in(groupServer, p.routesCommand()),
		in(groupAdmin, backup.Command(p.console, version)),
		in(groupAdmin, p.adminCommand()), in(groupAdmin, admin.Keys(p.console, version)), in(groupAdmin, store.Command(p.console)),
		in(groupAdmin, doctor.Command(p.console)),
		in(groupAdmin, compact.Command(p.console)),
		in(groupAdmin, admin.AuditCommand(p.console, version)),
		in(groupAdmin, migrate.Command(p.console, version)),
		in(groupAdmin, restore.Command(p.console)),
		in(groupOther, p.versionCommand()), in(groupOther, command.Manuals(version)),
	)
	p.addVersionFlag(root)
	command.SetVersion(root, version)
	command.Complete(root, groupOther)
	return root
}

func in(group string, c *cobra.Command) *cobra.Command {
	c.GroupID = group
	return c
}

// addVersionFlag makes the root print the release where it is asked for.
func (p program) addVersionFlag(root *cobra.Command) {
	var shown bool
	root.Flags().BoolVar(&shown, "version", false, "print the version")
	choose := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if shown {
			_, err := fmt.Fprintln(p.console.Out, "hush", version)
			return err
		}
		return choose(c, args)
	}
}

// adminCommand returns "hush admin". Its groups stood below "hush" once.
func (p program) adminCommand() *cobra.Command {
	c := admin.Command(p.console, version)
	command.MarkMoved(c, "account", "token", "domain", "place", "burn")
	return c
}

// readSettings sets flags from the environment and the configuration file before
// any command runs, except those of completion, which cannot report an error, and
// those that call a server, which have no settings.
func (p program) readSettings(c *cobra.Command, _ []string) error {
	if c.Name() == cobra.ShellCompRequestCmd {
		command.Unquote(c.Root())
		return nil
	}
	if command.IsClient(c) {
		return command.CheckClientVariables(p.environment)
	}
	if settings.IsReadByCommand(c) {
		return nil
	}
	return settings.Apply(c.Flags(), p.environment)
}
