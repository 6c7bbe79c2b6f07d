package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/settings"
)

// invitePage is how many invites are asked for at a time.
const invitePage = 500

// command returns "hush admin account invite".
func (a invites) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "invite", Short: "create, list and revoke invites", Long: "Create, list and revoke invites, where sign-up requires one." + serviceHelp,
		Example: `# Invite someone, and see who has not signed up yet
hush admin account invite create ann@example.com
hush admin account invite list`,
	}, a.createCommand(), a.listCommand(), a.revokeCommand())
}

// createCommand prints the link alone on standard output, for scripts.
func (a invites) createCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "create [ADDRESS]", Short: "create an invite and print its link", Args: command.Takes(0, 1),
		Long: `Create an invite and print its link. It works once and expires after a week.

With an address, only that address can sign up with it. A service that runs and
sends mail also mails the link there.` + serviceHelp,
		Example: `# Create an invite for one address
hush admin account invite create ann@example.com
# Create one for anyone
hush admin account invite create`,
	}
	s := settings.AddExisting(c, serviceFlags("base-url", "listen", "tls-cert")...)
	command.HoldOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		var request adminv1.CreateInviteRequest
		if len(args) > 0 {
			request.Address = args[0]
		}
		return a.create(c.Context(), s, &request)
	}
	return c
}

func (a invites) create(ctx context.Context, s *settings.Settings, request *adminv1.CreateInviteRequest) error {
	if err := command.NeedOutput(a.Console, "the link would be lost"); err != nil {
		return err
	}
	var created *adminv1.CreateInviteResponse
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		created, err = admin.CreateInvite(ctx, request)
		return err
	})
	if err != nil {
		return err
	}
	whom := "anyone"
	if request.GetAddress() != "" {
		whom = request.GetAddress()
	}
	a.Tellf("created an invite for %s; it expires at %s, and its link is shown only now", whom, console.Moment(created.GetExpireTime()))
	if created.GetMailed() {
		a.Tellf("the link is mailed to %s", whom)
	}
	if _, err = fmt.Fprintln(a.Out, created.GetSignUpUrl()); err != nil {
		return fmt.Errorf("the invite was created and is valid, and its link could not be printed; \"hush admin account invite list\" shows its ID, and \"hush admin account invite revoke ID\" revokes it: %w", err)
	}
	return nil
}

func (a invites) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "list the invites that can still be used, oldest first", Args: command.Takes(0, 0),
		Example: `# List the invites with their IDs
hush admin account invite list`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, _ []string) error { return a.list(c.Context(), s) }
	return c
}

func (a invites) list(ctx context.Context, s *settings.Settings) error {
	var rows [][]string
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		for token := ""; ; {
			page, err := admin.ListInvites(ctx, &adminv1.ListInvitesRequest{PageSize: invitePage, PageToken: token})
			if err != nil {
				return err
			}
			for _, i := range page.GetInvites() {
				rows = append(rows, []string{
					i.GetInviteId(), console.OrDash(i.GetAddress()), console.OrDash(i.GetCreator()),
					console.Moment(i.GetCreateTime()), console.Moment(i.GetExpireTime()),
				})
			}
			if token = page.GetNextPageToken(); token == "" {
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	return a.Table("ID,FOR,CREATED BY,CREATED,EXPIRES", rows)
}

func (a invites) revokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "revoke ID", Short: "revoke an invite", Args: command.Takes(1, 1),
		Example: `# Revoke an invite by its ID
hush admin account invite revoke ID`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.revoke(c.Context(), s, args[0]) }
	return c
}

func (a invites) revoke(ctx context.Context, s *settings.Settings, id string) error {
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.RevokeInvite(ctx, &adminv1.RevokeInviteRequest{InviteId: id})
		return orNotFound(err, "there is no invite %s that can still be used", id)
	})
	if err != nil {
		return err
	}
	a.Tellf("revoked the invite %s", id)
	return nil
}
