package admin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"hush/cli/command"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/settings"
)

// burnCommand burns the secret of a reported link, or closes the request of one. Other
// users of the machine see the arguments of a command while it runs, so it reads links from standard
// input as well.
func (a administrator) burnCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "burn LINK|-", Short: "burn the secret behind a reported link, without opening it", Args: command.Takes(1, 1),
		Long: `Burn the secret behind a link that was reported, without opening it. The link of its
receipt, or the key alone, does as well. If it is the link of a request, that is closed and
the answers that wait are burned.

If the link is "-", it is read from standard input: other users of this machine
can see the arguments of a command while it runs.` + serviceHelp,
		Example: `# Burn the secret of a link in a file
hush admin burn - < link`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.burn(c.Context(), s, args[0]) }
	return c
}

// endToEndLink matches a link up to its key, and all that is behind that: of an
// end-to-end encrypted secret the link secret, which is for no service to see, whether or
// not a mail has broken it. The link of several receipts goes on with a dot.
var endToEndLink = regexp.MustCompile(`(?s)^(.*?(?:^|#|%(?:25)*23)[0-9a-z]{31})([^.].*)$`)

// keyOnly returns a link without what is behind its key. It refuses a text with another
// link there, whose secret would wait on.
func keyOnly(link string) (string, error) {
	parts := endToEndLink.FindStringSubmatch(strings.TrimSpace(link))
	switch {
	case parts == nil:
		return strings.TrimSpace(link), nil
	case strings.ContainsAny(parts[2], "#%:/"):
		return "", command.Usage("there is other text behind the link; nothing was burned")
	default:
		return parts[1], nil
	}
}

func (a administrator) burn(ctx context.Context, s *settings.Settings, link string) (err error) {
	if link == "-" {
		if link, err = a.OnlyLine(ctx, "-"); err != nil {
			return err
		}
	}
	if link, err = keyOnly(link); err != nil {
		return err
	}
	var done string
	err = a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		done, err = burnOrWithdraw(ctx, admin, link)
		return err
	})
	if err != nil {
		return err
	}
	a.Tellf("%s", done)
	return nil
}

// burnOrWithdraw burns the secret of a link, or closes the request of one, and says which.
func burnOrWithdraw(ctx context.Context, admin adminv1connect.AdminServiceClient, link string) (done string, err error) {
	burned, err := admin.BurnSecret(ctx, &adminv1.BurnSecretRequest{Link: link})
	switch connect.CodeOf(err) {
	case connect.CodeNotFound:
	case connect.CodeInvalidArgument:
		return "", command.Usage("this is not the link of a secret, of its receipt or of a request, or not all of it; nothing was burned")
	default:
		return "burned the secret " + burned.GetMetadata().GetSecretShortkey(), err
	}
	closed, err := admin.WithdrawRequest(ctx, &adminv1.WithdrawRequestRequest{Link: link})
	switch connect.CodeOf(err) {
	case connect.CodeNotFound, connect.CodeUnimplemented: // of a service that is older
		return "", errors.New("no secret waits behind this link: it never existed, was opened or burned, or has expired")
	default:
		return fmt.Sprintf("closed the request; answers burned: %d", closed.GetBurned()), err
	}
}
