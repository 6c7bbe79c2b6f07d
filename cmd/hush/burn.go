package main

import (
	"context"
	"errors"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
)

// burnCommand burns the secret of a reported link. Other users of the machine
// see the arguments of a command while it runs, so it reads links from standard
// input as well.
func (p program) burnCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "burn LINK|-", Short: "burn the secret of a reported link, without opening it; - reads the link from standard input", Args: takes(1, 1),
	}
	s := addSettings(c, adminFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return p.burn(c.Context(), s, args[0]) }
	return c
}

func (p program) burn(ctx context.Context, s *settings, link string) (err error) {
	if link == "-" {
		if link, err = firstLine(p.stdin); err != nil {
			return err
		}
	}
	var burned *adminv1.BurnSecretResponse
	err = p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		burned, err = admin.BurnSecret(ctx, &adminv1.BurnSecretRequest{Link: link})
		if connect.CodeOf(err) == connect.CodeNotFound {
			return errors.New("no secret waits behind this link: it never existed, was opened or burned, or has expired")
		}
		return err
	})
	if err != nil {
		return err
	}
	p.tellf("burned the secret %s", burned.GetMetadata().GetSecretShortkey())
	return nil
}
