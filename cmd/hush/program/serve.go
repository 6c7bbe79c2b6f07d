package program

import (
	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/server"
	"hush/server/settings"
)

// serveName is the name of the command that runs the service.
const serveName = "serve"

// serveCommand returns "hush serve".
func (p program) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: serveName, Short: "run the service", Args: command.Takes(0, 0),
		Long: `Run the service until SIGTERM or SIGINT. It needs no configuration: it creates
its data folder and root key, and listens on http://127.0.0.1:7143.`,
		Example: `# Try it on this machine
hush serve
# Serve a name over HTTPS, with certificates from Let's Encrypt
hush serve --data /var/lib/hush --base-url https://hush.example.com --acme
# Serve behind a proxy on this machine, which ends TLS
hush serve --base-url https://hush.example.com --trusted-proxies 127.0.0.1
# Take the settings from a file
hush serve --config /etc/hush/hush.yaml`,
	}
	command.AddDetails(c, `SIGHUP ends it like SIGTERM if it has a terminal, as when its window is closed;
without one it reads the files of certificates and their keys again.

Each flag can also be set by the environment variable shown beside it, or by its
name in the file of --config. A flag takes precedence over a variable, and a
variable over the file. The service does not start with an invalid value, or with
an unknown variable that begins with HUSH_. An empty variable or line of the file
counts as not set, and is refused where it says "not empty" below. --moved is a flag
alone.

A copy of a data folder is refused, since each link would open once in each: its
files have other inode numbers and times of birth than those on record. If the
folder was moved to another disk or machine, and the old one is gone for good, start
once with --moved.`)
	s := settings.Add(c, settings.Names()...)
	s.AddMoved(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return server.Run(c.Context(), server.Options{Settings: s, Console: p.console, Version: version, Alone: p.alone, Reload: p.reload})
	}
	return c
}
