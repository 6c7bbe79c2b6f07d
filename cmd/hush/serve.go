package main

import (
	"github.com/spf13/cobra"

	"hush/cmd/hush/command"
	"hush/cmd/hush/server"
	"hush/cmd/hush/settings"
)

// serveCommand returns "hush serve".
func (p program) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "serve", Short: "run the service", Args: command.Takes(0, 0),
		Long: `Run the service until SIGTERM or SIGINT. It needs no configuration: it creates
its data folder and root key, and listens on http://127.0.0.1:7143.

Each flag has a variable, shown behind it, that stands for it. An unknown
variable that begins with HUSH_, or a wrong value, stops the start.`,
	}
	s := settings.Add(c, settings.Names()...)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return server.Run(c.Context(), server.Options{Settings: s, Console: p.console, Version: version, Alone: p.alone})
	}
	return c
}
