package admin

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"hush/client"
	"hush/cmd/hush/command"
	"hush/cmd/hush/settings"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
)

// burnCommand burns the secret of a reported link. Other users of the machine
// see the arguments of a command while it runs, so it reads links from standard
// input as well.
func (a administrator) burnCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "burn LINK|-", Short: "burn the secret behind a reported link, without opening it", Args: command.Takes(1, 1),
		Long: `Burn the secret behind a link that was reported, without opening it. The link of its
receipt, or the key alone, does as well.

If the link is "-", it is read from standard input: other users of this machine
can see the arguments of a command while it runs.` + about,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.burn(c.Context(), s, args[0]) }
	return c
}

// aKey is the key of a secret or of a receipt.
var aKey = regexp.MustCompile(`^[0-9a-z]{31}$`)

// reportedKey returns the key in the link of a secret or of its receipt, or a bare key.
// The secret part of an end-to-end link is for no service to see.
func reportedKey(text string) (string, error) {
	if key := strings.TrimSpace(text); aKey.MatchString(key) {
		return key, nil
	}
	link, err := client.ParseLink(text)
	if err == nil {
		return link.Key.Expose(), nil
	}
	if receipt, other := client.ParseReceiptLink(text); other == nil {
		if len(receipt.Keys) == 1 {
			return receipt.Keys[0].Expose(), nil
		}
		err = errors.New("this is the link of several receipts: pass the links of the secrets, or the keys behind the # one by one")
	}
	return "", command.Usage("%v; nothing was burned", err)
}

func (a administrator) burn(ctx context.Context, s *settings.Settings, link string) (err error) {
	if link == "-" {
		if link, err = a.FirstLine(ctx); err != nil {
			return err
		}
	}
	key, err := reportedKey(link)
	if err != nil {
		return err
	}
	var burned *adminv1.BurnSecretResponse
	err = a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		burned, err = admin.BurnSecret(ctx, &adminv1.BurnSecretRequest{Link: key})
		if connect.CodeOf(err) == connect.CodeNotFound {
			return errors.New("no secret waits behind this link: it never existed, was opened or burned, or has expired")
		}
		return err
	})
	if err != nil {
		return err
	}
	a.Tellf("burned the secret %s", burned.GetMetadata().GetSecretShortkey())
	return nil
}
