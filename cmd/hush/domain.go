package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
)

// domainCommand returns "hush admin domain".
func (p program) domainCommand() *cobra.Command {
	return p.group(&cobra.Command{
		Use: "domain", Short: "list and verify domains", Long: "List and verify the domains that accounts claim." + adminAbout,
	}, []*cobra.Command{p.listDomainsCommand(), p.verifyDomainCommand()})
}

func (p program) listDomainsCommand() *cobra.Command {
	c := &cobra.Command{Use: "list [ADDRESS]", Short: "list the domains of one account, or of all", Args: takes(0, 1)}
	s := addSettings(c, adminFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		return p.listDomains(c.Context(), s, strings.Join(args, ""))
	}
	return c
}

func (p program) listDomains(ctx context.Context, s *settings, account string) error {
	var rows [][]string
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		list, err := admin.ListDomains(ctx, &adminv1.ListDomainsRequest{Account: account})
		rows = domainRows(list.GetDomains())
		return noAccount(err, account)
	})
	if err != nil {
		return err
	}
	return p.table("DOMAIN,STATE,ACCOUNT,LEADS HERE,CHECKED", rows)
}

func domainRows(domains []*hushv1.Domain) [][]string {
	rows := make([][]string, len(domains))
	for i, d := range domains {
		rows[i] = []string{
			d.GetDisplayDomain(), nameOfState(d.GetState()), orDash(d.GetCustid()), yesNo(d.GetResolving()), moment(d.GetCheckTime()),
		}
	}
	return rows
}

func (p program) verifyDomainCommand() *cobra.Command {
	var request adminv1.VerifyDomainRequest
	c := &cobra.Command{Use: "verify NAME", Short: "ask DNS about a domain now; exit 0 if it is verified", Args: takes(1, 1)}
	s := addSettings(c, adminFlags("base-url", "resolver")...)
	text(&request.Account, "", "`address` of the account, if several claim the domain")(c.Flags(), "account")
	c.RunE = func(c *cobra.Command, args []string) error {
		request.Domain = args[0]
		return p.verifyDomain(c.Context(), s, &request)
	}
	return c
}

func (p program) verifyDomain(ctx context.Context, s *settings, request *adminv1.VerifyDomainRequest) error {
	var checked *hushv1.Domain
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		answer, err := admin.VerifyDomain(ctx, request)
		checked = answer.GetDomain()
		return named(err, "no account claims the domain %s", request.GetDomain())
	})
	if err != nil {
		return err
	}
	if err := p.table("CHECK,PASSED,NAME,EXPECTED,FOUND,PROBLEM", checkRows(checked.GetChecks())); err != nil {
		return err
	}
	if checked.GetState() != hushv1.DomainState_DOMAIN_STATE_VERIFIED {
		return fmt.Errorf("%s is %s, not verified", checked.GetDisplayDomain(), nameOfState(checked.GetState()))
	}
	p.tellf("%s is verified", checked.GetDisplayDomain())
	return nil
}

func checkRows(checks []*hushv1.DomainCheck) [][]string {
	rows := make([][]string, len(checks))
	for i, c := range checks {
		rows[i] = []string{
			strings.ToLower(strings.TrimPrefix(c.GetKind().String(), "KIND_")), yesNo(c.GetPassed()), c.GetName(),
			orDash(strings.Join(c.GetExpected(), " ")), orDash(strings.Join(c.GetFound(), " ")), orDash(c.GetProblem()),
		}
	}
	return rows
}

func nameOfState(state hushv1.DomainState) string {
	return strings.ToLower(strings.TrimPrefix(state.String(), "DOMAIN_STATE_"))
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
