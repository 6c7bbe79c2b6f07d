package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
	"hush/server/settings"
)

// command returns "hush admin domain".
func (a domains) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "domain", Short: "list and verify the domains of accounts", Long: "List and verify the domains of accounts." + serviceHelp,
		Example: `# See the domains of all accounts, and check one
hush admin domain list
hush admin domain verify secrets.example.org`,
	}, a.listCommand(), a.verifyCommand())
}

func (a domains) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list [ADDRESS]", Short: "list the domains of one account, or of all", Args: command.Takes(0, 1),
		Example: `# List the domains of all accounts
hush admin domain list
# List those of one
hush admin domain list ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.list(c.Context(), s, strings.Join(args, ""))
	}
	return c
}

func (a domains) list(ctx context.Context, s *settings.Settings, account string) error {
	var rows [][]string
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		list, err := admin.ListDomains(ctx, &adminv1.ListDomainsRequest{Account: account})
		rows = domainRows(list.GetDomains())
		return orNoAccount(err, account)
	})
	if err != nil {
		return err
	}
	return a.Table("DOMAIN,STATE,ACCOUNT,LEADS HERE,CHECKED", rows)
}

func domainRows(domains []*hushv1.Domain) [][]string {
	rows := make([][]string, len(domains))
	for i, d := range domains {
		rows[i] = []string{
			d.GetDisplayDomain(), domainStateName(d.GetState()), console.OrDash(d.GetCustid()), yesNo(d.GetResolving()), console.Moment(d.GetCheckTime()),
		}
	}
	return rows
}

func (a domains) verifyCommand() *cobra.Command {
	var request adminv1.VerifyDomainRequest
	c := &cobra.Command{
		Use: "verify NAME", Short: "check a domain in DNS now; exit with 0 if it is verified", Args: command.Takes(1, 1),
		Example: `# Check a domain
hush admin domain verify secrets.example.org`,
	}
	s := settings.AddExisting(c, serviceFlags("base-url", "resolver")...)
	flags.Text(&request.Account, "", "`address` of the account, if several have added the domain")(c.Flags(), "account")
	c.RunE = func(c *cobra.Command, args []string) error {
		request.Domain = args[0]
		return a.verify(c.Context(), s, &request)
	}
	return c
}

func (a domains) verify(ctx context.Context, s *settings.Settings, request *adminv1.VerifyDomainRequest) error {
	var checked *hushv1.Domain
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		answer, err := admin.VerifyDomain(ctx, request)
		checked = answer.GetDomain()
		return orNotFound(err, "no account claims the domain %s", request.GetDomain())
	})
	if err != nil {
		return err
	}
	if err := a.Table("CHECK,PASSED,NAME,EXPECTED,FOUND,PROBLEM", checkRows(checked.GetChecks())); err != nil {
		return err
	}
	if checked.GetState() != hushv1.DomainState_DOMAIN_STATE_VERIFIED {
		return fmt.Errorf("%s is %s, not verified", checked.GetDisplayDomain(), domainStateName(checked.GetState()))
	}
	a.Tellf("%s is verified", checked.GetDisplayDomain())
	return nil
}

func checkRows(checks []*hushv1.DomainCheck) [][]string {
	rows := make([][]string, len(checks))
	for i, c := range checks {
		rows[i] = []string{
			strings.ToLower(strings.TrimPrefix(c.GetKind().String(), "KIND_")), yesNo(c.GetPassed()), c.GetName(),
			console.OrDash(strings.Join(c.GetExpected(), " ")), console.OrDash(strings.Join(c.GetFound(), " ")), console.OrDash(c.GetProblem()),
		}
	}
	return rows
}

func domainStateName(state hushv1.DomainState) string {
	return strings.ToLower(strings.TrimPrefix(state.String(), "DOMAIN_STATE_"))
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
