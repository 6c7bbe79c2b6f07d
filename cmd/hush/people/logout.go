package people

import (
	"context"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// Logout returns "hush logout".
func Logout(on *console.Console, environment []string) *cobra.Command {
	c := &cobra.Command{
		Use: "logout", Short: "forget the API token of a profile", Args: command.Takes(0, 0),
		Long: `Forget the API token of a profile. The profile stays, and its server is called
without an account. The token itself stays valid until you revoke it at the server.`,
		Example: `# Forget the token of the profile in use
hush logout
# Forget that of the profile "work"
hush logout --profile work`,
	}
	choice := addProfileFlag(c, on, environment)
	c.RunE = func(c *cobra.Command, _ []string) error { return logOut(c.Context(), on, choice) }
	return c
}

func logOut(ctx context.Context, on *console.Console, choice *connector) error {
	one, err := choice.chosenProfile()
	if err != nil {
		return err
	}
	if one.Token == profile.PlaceNone {
		on.Tellf("the profile %s has no token", one.Name)
	} else {
		if err := choice.profiles.Forget(ctx, one.Name); err != nil {
			return err
		}
		on.Tellf("the token of the profile %s is forgotten; %s", one.Name, revokeHint(one))
	}
	if usesTokenVariable(choice, one) {
		on.Tellf("%s is set: commands without flags send it to %s", command.VariableToken, one.Server)
	}
	return nil
}

// revokeHint says where to revoke a token.
func revokeHint(one profile.Profile) string {
	page := one.Server
	if one.Protocol == client.ProtocolHush {
		page += "/account/tokens"
	}
	return "it stays valid until you revoke it at " + page
}
