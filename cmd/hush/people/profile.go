package people

import (
	"context"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/cmd/hush/people/profile"
)

// profileCommands are the commands of "hush profile".
type profileCommands struct {
	console *console.Console
	store   *profile.Store
}

// Profile returns "hush profile".
func Profile(on *console.Console, environment []string) *cobra.Command {
	p := profileCommands{console: on, store: profile.Open(environment, on)}
	group := command.Group(&cobra.Command{
		Use: "profile", Short: "list, choose and remove profiles",
		Long: `List, choose and remove profiles. A profile is a server with the protocol that it
speaks and, if you have an account there, its API token; "hush login" makes one.

Commands use the profile of --profile or HUSH_PROFILE, else the one in use. With
--server or HUSH_SERVER they use the profile of that server, and without one they
call it without an account, unless HUSH_TOKEN is set with HUSH_SERVER. A token is
sent to the server that it was stored for, and to no other. HUSH_TOKEN goes to the
server of HUSH_SERVER or HUSH_PROFILE, and without them to that of the profile in
use, if that has no token; never to one that only --server or --profile names.`,
		Example: `# See the profiles, and use another one
hush profile list
hush profile use work`,
	}, p.listCommand(), p.useCommand(), p.removeCommand())
	command.MarkClient(group)
	for _, c := range group.Commands() {
		command.MarkClient(c)
	}
	return group
}

// profileJSON is a profile in the list: a line of JSON with --json.
type profileJSON struct {
	Name     string `json:"name"`
	Server   string `json:"server"`
	Protocol string `json:"protocol"`
	// Username, TokenFrom and CAFile are null where there is none.
	Username  *string `json:"username"`
	TokenFrom *string `json:"token_from"`
	CAFile    *string `json:"ca_file"`
	InUse     bool    `json:"in_use"`
}

func (p profileCommands) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "list the profiles", Args: command.Takes(0, 0),
		Example: `# See which profile is in use
hush profile list`,
	}
	var asJSON bool
	flags.Switch(&asJSON, "print a line of JSON for each")(c.Flags(), "json")
	c.RunE = func(*cobra.Command, []string) error { return p.list(asJSON) }
	return c
}

func (p profileCommands) list(asJSON bool) error {
	all, err := p.store.Load()
	if err != nil {
		return err
	}
	var rows [][]string
	for _, one := range all.All {
		l := profileJSON{
			Name: one.Name, Server: one.Server, Protocol: one.Protocol.String(), Username: stringOrNull(one.Username),
			TokenFrom: stringOrNull(string(one.Token)), CAFile: stringOrNull(one.CAFile), InUse: one.Name == all.Current,
		}
		if asJSON {
			if err := printJSON(p.console, l); err != nil {
				return err
			}
		}
		use := "no"
		if l.InUse {
			use = "yes"
		}
		rows = append(rows, []string{l.Name, l.Server, l.Protocol, stringOrDash(l.Username), stringOrDash(l.TokenFrom), use})
	}
	if asJSON {
		return nil
	}
	return p.console.Table("NAME,SERVER,PROTOCOL,USERNAME,TOKEN,IN USE", rows)
}

func (p profileCommands) useCommand() *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "choose the profile that commands use", Args: command.Takes(1, 1), ValidArgsFunction: p.complete,
		Example: `# Use the profile "work" from now on
hush profile use work`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.store.Use(args[0]); err != nil {
				return err
			}
			p.console.Tellf("the profile %s is in use", args[0])
			return nil
		},
	}
}

func (p profileCommands) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "remove a profile and its API token", Args: command.Takes(1, 1), ValidArgsFunction: p.complete,
		Example: `# Remove the profile "work"
hush profile remove work`,
		RunE: func(c *cobra.Command, args []string) error { return p.remove(c.Context(), args[0]) },
	}
}

func (p profileCommands) remove(ctx context.Context, name string) error {
	before, err := p.store.Load()
	if err != nil {
		return err
	}
	one, err := before.Get(name)
	if err != nil {
		return err
	}
	if err := p.store.Remove(ctx, name); err != nil {
		return err
	}
	if one.Token == profile.PlaceNone {
		p.console.Tellf("removed the profile %s", name)
	} else {
		p.console.Tellf("removed the profile %s and forgot its token; %s", name, revokeHint(one))
	}
	after, err := p.store.Load()
	if err != nil {
		return err
	}
	switch {
	case before.Current != name || len(after.All) == 0:
	case after.Current == "":
		p.console.Tellf("no profile is in use now: choose one with \"hush profile use NAME\"")
	default:
		p.console.Tellf("the profile %s is in use now", after.Current)
	}
	return nil
}

// complete completes the name of a profile as the first argument.
func (p profileCommands) complete(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.store.Complete(), cobra.ShellCompDirectiveNoFileComp
}
