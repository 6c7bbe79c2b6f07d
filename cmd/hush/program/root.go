package program

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/flags"
	"hush/cmd/hush/admin"
	"hush/cmd/hush/people"
	"hush/server/settings"
)

// sectionOther is the section of what concerns the program itself.
const sectionOther = "Other"

// rootCommand returns "hush" with every command below it. The commands share no
// state with those of another call.
func (p program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hush",
		Short: "share a secret once",
		Long:  `Hush shares a secret once: it creates a link that opens at most once.`,
		Example: `# Share a file, and open it on another machine
hush share .env
hush open LINK
# Run a server
hush serve`,
		PersistentPreRunE: p.readSettings,
	}
	root.SetIn(p.console.In)
	root.SetOut(p.console.Out)
	root.SetErr(p.console.Err)
	command.Sections(root,
		command.Section{Title: "Secrets", Commands: p.secretCommands()},
		command.Section{Title: "Account", Commands: p.accountCommands()},
		command.Section{Title: "Server", Commands: p.serverCommands()},
		command.Section{Title: sectionOther, Commands: []*cobra.Command{p.versionCommand(), command.Manuals(version)}},
	)
	command.AddDetails(root, `The flags of "serve" and "admin" can also be set by environment variables, --base-url
by HUSH_BASE_URL, and in a configuration file: see "hush admin config". An empty flag
is refused. An empty variable counts as not set, and is refused where help says "not
empty".`)
	p.addVersionFlag(root)
	command.SetVersion(root, version)
	command.Complete(root, sectionOther)
	return root
}

// secretCommands returns the commands of senders and recipients.
func (p program) secretCommands() []*cobra.Command {
	return []*cobra.Command{
		people.Share(p.console, p.environment),
		people.Open(p.console, p.environment),
		people.Collect(p.console, p.environment),
		people.Burn(p.console, p.environment),
		people.Receipt(p.console, p.environment),
		people.List(p.console, p.environment),
		people.Request(p.console, p.environment),
		people.Answer(p.console, p.environment),
		people.Run(p.console, p.environment),
	}
}

// accountCommands returns the commands that choose a server, and an account there.
func (p program) accountCommands() []*cobra.Command {
	return []*cobra.Command{
		people.Login(p.console, p.environment), people.Logout(p.console, p.environment),
		people.WhoAmI(p.console, p.environment), people.Profile(p.console, p.environment),
	}
}

// serverCommands returns the commands of those who run a server.
func (p program) serverCommands() []*cobra.Command {
	return []*cobra.Command{p.serveCommand(), admin.Healthcheck(p.console), admin.Command(p.console, version, p.settings)}
}

// addVersionFlag makes the root print the release where it is asked for.
func (p program) addVersionFlag(root *cobra.Command) {
	var shown bool
	root.Flags().BoolVar(&shown, "version", false, "print the version")
	command.MarkDetail(root.Flags().Lookup("version"))
	choose := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if shown {
			_, err := fmt.Fprintln(p.console.Out, "hush", version)
			return err
		}
		return choose(c, args)
	}
}

// readSettings sets flags from the environment and the configuration file before
// any command runs, except those of completion, which cannot report an error, and
// those that call a server, which have no settings.
func (p program) readSettings(c *cobra.Command, _ []string) error {
	if c.Name() == cobra.ShellCompRequestCmd {
		command.Unquote(c.Root())
		return nil
	}
	if empty := flags.Empty(c.Flags()); empty != nil {
		return command.Usage("--%s is empty, as of a variable that is not set: give it a value, or leave it out", empty.Name)
	}
	if path := flags.FromHome(c.Flags()); path != nil {
		return command.Usage("--%s: a shell does not expand ~ behind a =: write --%s %s, or the whole path; ./%s is one that is called so here", path.Name, path.Name, path.Value, path.Value)
	}
	switch {
	case command.IsClient(c):
		return p.warn(command.CheckClientVariables(p.environment, settings.Variables()))
	case settings.IsReadByCommand(c), isAboutProgram(c):
		return nil
	}
	if p.packaged != "" && strings.HasPrefix(c.CommandPath(), "hush admin ") {
		p.settings.UsePackaged(c.Flags(), p.packaged)
	}
	return p.warn(p.settings.Apply(c.Context(), c.Flags()))
}

// warn prints warnings, unless there is an error, which it returns.
func (p program) warn(warnings []string, err error) error {
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		p.console.Tellf("%s", warning)
	}
	return nil
}

// isAboutProgram reports whether a command tells of the program itself, so that it works
// in any environment.
func isAboutProgram(c *cobra.Command) bool {
	if c.HasParent() && c.Parent().Name() == "completion" {
		return true
	}
	return c.Name() == "help" || c.Name() == "version"
}
