package main

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
)

// burn burns the secret of a link that somebody reported. Links given as
// arguments are seen by other users of the machine while the command runs, so
// it reads them from standard input as well.
func (p program) burn(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "burn", arguments: "LINK|-", least: 1, most: 1, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	link := s.rest[0]
	if link == "-" {
		if link, err = firstLine(p.stdin); err != nil {
			return err
		}
	}
	var burned *adminv1.BurnSecretResponse
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		burned, err = admin.BurnSecret(ctx, &adminv1.BurnSecretRequest{Link: link})
		if connect.CodeOf(err) == connect.CodeNotFound {
			return errors.New("no secret waits behind this link: there was none, or it was opened, burned or has expired")
		}
		return err
	})
	if err != nil {
		return err
	}
	p.tellf("burned the secret %s", burned.GetMetadata().GetSecretShortkey())
	return nil
}
