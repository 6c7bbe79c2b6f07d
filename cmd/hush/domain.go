package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
)

// domain looks after the domains that accounts claim.
func (p program) domain(ctx context.Context, args []string) error {
	return p.choose(ctx, "domain", []word{
		{"list", "[ADDRESS]", "list the domains of one account, or of all", program.listDomains},
		{"verify", "[--account ADDRESS] NAME", "ask DNS about a domain now; exit 0 if it is verified", program.verifyDomain},
	}, args)
}

func (p program) listDomains(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "domain list", arguments: "[ADDRESS]", most: 1, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	account := strings.Join(s.rest, "")
	var rows [][]string
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
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

func (p program) verifyDomain(ctx context.Context, args []string) error {
	var request adminv1.VerifyDomainRequest
	s, err := p.parseForm(form{
		name: "domain verify", arguments: "NAME", least: 1, most: 1, flags: adminFlags("base-url", "resolver"),
		own: func(set *flag.FlagSet) {
			text(&request.Account, "", "`address` of the account, where several claim the domain")(set, "account")
		},
	}, args)
	if err != nil {
		return err
	}
	request.Domain = s.rest[0]
	var checked *hushv1.Domain
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		answer, err := admin.VerifyDomain(ctx, &request)
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
