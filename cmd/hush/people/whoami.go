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

// identity is what "hush whoami" prints: as a line of JSON with --json.
type identity struct {
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
protocol, the account, and where its token comes from. The server is asked: whose the token is, or,
without one, whether it answers.`,
	}
	var asJSON bool
	flags.Switch(&asJSON, "print a line of JSON")(c.Flags(), "json")
	choice := AddFlags(c, on, environment)
	c.RunE = func(c *cobra.Command, _ []string) error {
		who, err := identify(c.Context(), choice)
		if err != nil {
			return err
		}
		if asJSON {
			return PrintJSON(on, who)
		}
		return who.print(on)
	}
	return c
}

// identify asks the server whose the token is, and without one whether it answers.
func identify(ctx context.Context, choice *Choice) (*identity, error) {
	target, err := choice.Settled(ctx)
	if err != nil {
		return nil, err
	}
	c, err := choice.Client(ctx, target)
	if err != nil {
		return nil, Fail(err)
	}
	who := &identity{
		Profile: orNull(target.Profile), Server: c.Server(), Protocol: c.Protocol().String(), TokenFrom: orNull(target.TokenFrom),
	}
	if target.Token.IsEmpty() {
		_, err := c.Policy(ctx) // so that it is known to answer
		return who, Fail(err)
	}
	account, err := c.Account(ctx)
	if errors.Is(err, client.ErrUnauthorized) {
		err = fmt.Errorf("%s does not accept the token of %s: \"hush login\" stores another", target.Server, tokenSource(choice, target))
		return nil, &command.ExitError{Code: command.ExitRefused, Cause: err}
	}
	if err != nil {
		return nil, Fail(err)
	}
	who.Account = orNull(cmp.Or(account.Address, target.Username))
	return who, nil
}

// tokenSource says where a token comes from, for people.
func tokenSource(choice *Choice, target Target) string {
	if target.TokenFrom == command.VariableToken {
		return target.TokenFrom
	}
	return fmt.Sprintf("the profile %s in %s", target.Profile, choice.Store().Where(profile.Place(target.TokenFrom)))
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (w *identity) print(on *console.Console) error {
	out := tabwriter.NewWriter(on.Out, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"profile", orDash(w.Profile)}, {"server", w.Server}, {"protocol", w.Protocol},
		{"account", orDash(w.Account)}, {"token from", orDash(w.TokenFrom)},
	} {
		fmt.Fprintf(out, "%s\t%s\n", row[0], console.Printable([]byte(row[1])))
	}
	if w.Protocol != client.ProtocolHush.String() {
		on.Tellf("%s speaks %s: it sees the text of every secret", w.Server, w.Protocol)
	}
	return out.Flush()
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
