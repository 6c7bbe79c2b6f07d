package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
)

// accountPage is how many accounts are asked for at a time.
const accountPage = 1000

// account looks after accounts.
func (p program) account(ctx context.Context, args []string) error {
	return p.choose(ctx, "account", []word{
		{"create", "[--password-file FILE] [--role ROLE] [--locale LOCALE] ADDRESS", "make an account that is ready for use", program.createAccount},
		{"list", "", "list all accounts, the newest first", program.listAccounts},
		{"show", "ADDRESS", "show an account with its tokens, domains and sessions", program.showAccount},
		{"role", "ADDRESS customer|colonel", "set what an account may do", program.setRole},
		{"reset-password", "[--password-file FILE] ADDRESS", "set a password; sessions and tokens of the account end", program.resetPassword},
		{"disable", "[--enable] ADDRESS", "lock an account, or unlock it", program.disableAccount},
		{"destroy", "--yes ADDRESS", "end an account and burn its secrets", program.destroyAccount},
		{"import", "[--skip-existing] FILE", "make accounts with the API tokens that they have elsewhere, from a table in CSV", program.importAccounts},
	}, args)
}

func (p program) createAccount(ctx context.Context, args []string) error {
	var request adminv1.CreateAccountRequest
	var file, role string
	s, err := p.parseForm(form{
		name: "account create", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags("base-url", "listen", "tls-cert"),
		own: func(set *flag.FlagSet) {
			passwordFile(&file)(set, "password-file")
			choice(&role, "what the account may do", "customer", "colonel")(set, "role")
			text(&request.Locale, "", "the account's `language`, as in pt_BR")(set, "locale")
		},
	}, args)
	if err != nil {
		return err
	}
	request.Address, request.Role = s.rest[0], roleOf(role)
	if request.Password, err = p.password(ctx, file); err != nil {
		return err
	}
	var made *adminv1.CreateAccountResponse
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		made, err = admin.CreateAccount(ctx, &request)
		if connect.CodeOf(err) == connect.CodeAlreadyExists {
			return fmt.Errorf("there is an account %s already", request.GetAddress())
		}
		return err
	})
	if err != nil {
		return err
	}
	p.tellNext(made, request.GetPassword() != "")
	return nil
}

// tellNext says what to do with a new account.
func (p program) tellNext(made *adminv1.CreateAccountResponse, signsIn bool) {
	account := made.GetAccount()
	p.tellf("made the %s account %s", nameOfRole(account.GetRole()), account.GetAddress())
	if signsIn {
		p.tellf("sign in at %s", made.GetSignInUrl())
	} else {
		p.tellf("it has no password; set one with: hush account reset-password --password-file FILE %s", account.GetAddress())
	}
	p.tellf("make an API token for scripts with: hush token create %s", account.GetAddress())
}

func (p program) listAccounts(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "account list", flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	var rows [][]string
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		for token := ""; ; {
			page, err := admin.ListAccounts(ctx, &adminv1.ListAccountsRequest{PageSize: accountPage, PageToken: token})
			if err != nil {
				return err
			}
			for _, a := range page.GetAccounts() {
				rows = append(rows, []string{a.GetAddress(), nameOfRole(a.GetRole()), standingOf(a), moment(a.GetCreateTime()), moment(a.GetSignInTime())})
			}
			if token = page.GetNextPageToken(); token == "" {
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	return p.table("ADDRESS,ROLE,STATE,CREATED,SIGNED IN", rows)
}

func (p program) showAccount(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "account show", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	var shown *adminv1.GetAccountResponse
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		shown, err = admin.GetAccount(ctx, &adminv1.GetAccountRequest{Account: s.rest[0]})
		return noAccount(err, s.rest[0])
	})
	if err != nil {
		return err
	}
	return p.printAccount(shown)
}

func (p program) printAccount(shown *adminv1.GetAccountResponse) error {
	a := shown.GetAccount()
	tally := a.GetTally()
	err := p.table("ACCOUNT,"+a.GetAccountId(), [][]string{
		{"address", a.GetAddress()},
		{"new address", orDash(a.GetPendingAddress())},
		{"role", nameOfRole(a.GetRole())},
		{"state", standingOf(a)},
		{"language", orDash(a.GetLocale())},
		{"created", moment(a.GetCreateTime())},
		{"signed in", moment(a.GetSignInTime())},
		{"secrets", fmt.Sprintf("%d created, %d revealed, %d burned", tally.GetSecretsCreated(), tally.GetSecretsShared(), tally.GetSecretsBurned())},
		{"mails", strconv.FormatInt(tally.GetEmailsSent(), 10)},
		{"out of reach", strconv.FormatInt(a.GetSealedCount(), 10) + " receipts since passwords were reset"},
	})
	if err != nil {
		return err
	}
	var sessions [][]string
	for _, session := range shown.GetSessions() {
		sessions = append(sessions, []string{session.GetSessionId(), moment(session.GetCreateTime()), moment(session.GetUseTime()), orDash(session.GetNetwork())})
	}
	return p.tables(
		listing{"\nTOKEN,NAME,SCOPES,CREATED,ENDS,USED", tokenRows(shown.GetApiTokens())},
		listing{"\nDOMAIN,STATE,ACCOUNT,LEADS HERE,CHECKED", domainRows(shown.GetDomains())},
		listing{"\nSESSION,BEGAN,USED,NETWORK", sessions},
	)
}

// listing is a table that is left out where it is empty.
type listing struct {
	header string
	rows   [][]string
}

func (p program) tables(listings ...listing) error {
	for _, l := range listings {
		if len(l.rows) == 0 {
			continue
		}
		if err := p.table(l.header, l.rows); err != nil {
			return err
		}
	}
	return nil
}

func (p program) setRole(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "account role", arguments: "ADDRESS customer|colonel", least: 2, most: 2, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	role := roleOf(s.rest[1])
	if role == hushv1.Role_ROLE_UNSPECIFIED {
		return usage("account role: the role must be customer or colonel")
	}
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.SetRole(ctx, &adminv1.SetRoleRequest{Account: s.rest[0], Role: role})
		return noAccount(err, s.rest[0])
	})
	if err != nil {
		return err
	}
	p.tellf("%s is a %s now", s.rest[0], s.rest[1])
	return nil
}

func (p program) resetPassword(ctx context.Context, args []string) error {
	var file string
	s, err := p.parseForm(form{
		name: "account reset-password", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags(),
		own: func(set *flag.FlagSet) { passwordFile(&file)(set, "password-file") },
	}, args)
	if err != nil {
		return err
	}
	password, err := p.password(ctx, file)
	if err != nil {
		return err
	}
	if password == "" {
		return usage("account reset-password: say --password-file FILE, or - for standard input")
	}
	var sealed int64
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		done, err := admin.ResetPassword(ctx, &adminv1.ResetPasswordRequest{Account: s.rest[0], Password: password})
		sealed = done.GetSealedCount()
		return noAccount(err, s.rest[0])
	})
	if err != nil {
		return err
	}
	p.tellf("set the password of %s; its sessions and API tokens have ended", s.rest[0])
	if sealed > 0 {
		p.tellf("its list can no longer show %d receipts", sealed)
	}
	return nil
}

func (p program) disableAccount(ctx context.Context, args []string) error {
	var enable bool
	s, err := p.parseForm(form{
		name: "account disable", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags(),
		own: func(set *flag.FlagSet) { set.BoolVar(&enable, "enable", false, "unlock it instead") },
	}, args)
	if err != nil {
		return err
	}
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.DisableAccount(ctx, &adminv1.DisableAccountRequest{Account: s.rest[0], Enable: enable})
		return noAccount(err, s.rest[0])
	})
	if err != nil {
		return err
	}
	if enable {
		p.tellf("%s is unlocked", s.rest[0])
	} else {
		p.tellf("%s is locked; \"hush account disable --enable %s\" unlocks it", s.rest[0], s.rest[0])
	}
	return nil
}

func (p program) destroyAccount(ctx context.Context, args []string) error {
	var yes bool
	s, err := p.parseForm(form{
		name: "account destroy", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags(),
		own: func(set *flag.FlagSet) { set.BoolVar(&yes, "yes", false, "it is meant; without this nothing happens") },
	}, args)
	if err != nil {
		return err
	}
	if !yes {
		return usage("account destroy: this would end the account %s for good, burn every secret of it that waits, "+
			"end its sessions and API tokens, and give its domains up; say --yes if that is meant", s.rest[0])
	}
	var burned int32
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		done, err := admin.DestroyAccount(ctx, &adminv1.DestroyAccountRequest{Account: s.rest[0]})
		burned = done.GetBurned()
		return noAccount(err, s.rest[0])
	})
	if err != nil {
		return err
	}
	p.tellf("ended the account %s; secrets burned: %d", s.rest[0], burned)
	return nil
}

func noAccount(err error, account string) error {
	return named(err, "there is no account %s", account)
}

// roleOf is ROLE_UNSPECIFIED for a word that is no role.
func roleOf(word string) hushv1.Role {
	return hushv1.Role(hushv1.Role_value["ROLE_"+strings.ToUpper(word)])
}

func nameOfRole(role hushv1.Role) string {
	return strings.ToLower(strings.TrimPrefix(role.String(), "ROLE_"))
}

func standingOf(a *hushv1.Account) string {
	switch {
	case a.GetDisabled():
		return "disabled"
	case !a.GetVerified():
		return "unverified"
	default:
		return "active"
	}
}
