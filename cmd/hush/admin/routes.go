package admin

import (
	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/handlers"
	"hush/routes"
)

// routesCommand returns "hush admin routes": it prints the routing table, which has the
// legacy rows, the RPCs and the pages.
func (a administrator) routesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "routes", Short: "print every route and the RPC that it calls", Args: command.Takes(0, 0),
		Example: `# Print the routes
hush admin routes`,
		RunE: func(*cobra.Command, []string) error {
			api, err := handlers.Described()
			if err != nil {
				return err
			}
			return routes.WriteTable(a.Out, routes.Table(api))
		},
	}
}
