package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// identityJSON is what "hush whoami" prints: as a line of JSON with --json.
type identityJSON struct {
	Profile  *string `json:"profile"` // null for a server without a profile
	Server   string  `json:"server"`
	Protocol string  `json:"protocol"`
	// Account is null without a token.
	Account *string `json:"account"`
	// TokenFrom is "keyring", "file" or "HUSH_TOKEN", and null without a token.
	TokenFrom *string `json:"token_from"`
}

// WhoAmI returns "hush whoami".
func WhoAmI(on *console.Console, environment []string) *cobra.Command {
	c := &cobra.Command{
		Use: "whoami", Short: "print which server is called, and as whom", Args: command.Takes(0, 0),
		Long: `Print which server the commands call, and as whom: the profile, the server and its
protocol, the account, and where its token comes from. The server is asked: whose the
token is, or, without one, whether it answers.`,
		Example: `# Print the server and the account in use
hush whoami
# Check the profile "work"
hush whoami --profile work`,
	}
	var asJSON bool
	flags.Switch(&asJSON, "print a line of JSON")(c.Flags(), "json")
	choice := addServerFlags(c, on, environment)
	c.RunE = func(c *cobra.Command, _ []string) error {
		who, err := identify(c.Context(), choice)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(on, who)
		}
		return who.print(on)
	}
	return c
}

// identify asks the server whose the token is, and without one whether it answers.
func identify(ctx context.Context, choice *connector) (*identityJSON, error) {
	target, err := choice.settledTarget(ctx)
	if err != nil {
		return nil, err
	}
	c, err := choice.newClient(ctx, target)
	if err != nil {
		return nil, withExitCode(err)
	}
	who := &identityJSON{
		Profile: stringOrNull(target.profile), Server: c.Server(), Protocol: c.Protocol().String(), TokenFrom: stringOrNull(target.tokenFrom),
	}
	if target.token.IsEmpty() {
		_, err := c.Policy(ctx) // so that it is known to answer
		return who, withExitCode(err)
	}
	account, err := c.Account(ctx)
	if errors.Is(err, client.ErrUnauthorized) {
		err = fmt.Errorf("%s does not accept the token of %s: \"hush login\" stores another", target.server, tokenSource(choice, target))
		return nil, &command.ExitError{Code: command.ExitRefused, Cause: err}
	}
	if err != nil {
		return nil, withExitCode(err)
	}
	who.Account = stringOrNull(cmp.Or(account.Address, target.username))
	return who, nil
}

// tokenSource says where a token comes from, for people.
func tokenSource(choice *connector, target serverTarget) string {
	if target.tokenFrom == command.VariableToken {
		return target.tokenFrom
	}
	return fmt.Sprintf("the profile %s in %s", target.profile, choice.profiles.Where(profile.Place(target.tokenFrom)))
}

func stringOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (w *identityJSON) print(on *console.Console) error {
	out := tabwriter.NewWriter(on.Out, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"profile", stringOrDash(w.Profile)}, {"server", w.Server}, {"protocol", w.Protocol},
		{"account", stringOrDash(w.Account)}, {"token from", stringOrDash(w.TokenFrom)},
	} {
		fmt.Fprintf(out, "%s\t%s\n", row[0], console.Printable([]byte(row[1])))
	}
	if w.Protocol != client.ProtocolHush.String() {
		on.Tellf("%s speaks %s: it sees the text of every secret", w.Server, w.Protocol)
	}
	return out.Flush()
}

func stringOrDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
