package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
)

// accountPage is how many accounts are asked for at a time.
const accountPage = 1000

// accountCommand returns "hush admin account".
func (p program) accountCommand() *cobra.Command {
	return p.group(&cobra.Command{
		Use: "account", Short: "create, list and destroy accounts", Long: "Create, list and destroy accounts." + adminAbout,
	}, []*cobra.Command{
		p.createAccountCommand(), p.listAccountsCommand(), p.showAccountCommand(), p.setRoleCommand(),
		p.resetPasswordCommand(), p.disableAccountCommand(), p.destroyAccountCommand(), p.importAccountsCommand(),
	})
}

func (p program) createAccountCommand() *cobra.Command {
	var request adminv1.CreateAccountRequest
	var file, role string
	c := &cobra.Command{Use: "create ADDRESS", Short: "create an account that is ready for use", Args: takes(1, 1)}
	s := addSettings(c, adminFlags("base-url", "listen", "tls-cert")...)
	passwordFile(&file)(c.Flags(), "password-file")
	choice(&role, "what the account may do", "customer", "colonel")(c.Flags(), "role")
	text(&request.Locale, "", "`language` of the account, as in pt_BR")(c.Flags(), "locale")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		request.Address, request.Role = args[0], roleOf(role)
		if request.Password, err = p.password(c.Context(), file); err != nil {
			return err
		}
		return p.createAccount(c.Context(), s, &request)
	}
	return c
}

func (p program) createAccount(ctx context.Context, s *settings, request *adminv1.CreateAccountRequest) error {
	var made *adminv1.CreateAccountResponse
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		made, err = admin.CreateAccount(ctx, request)
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

// tellNext says what comes next for a new account.
func (p program) tellNext(made *adminv1.CreateAccountResponse, signsIn bool) {
	account := made.GetAccount()
	p.tellf("created the %s account %s", nameOfRole(account.GetRole()), account.GetAddress())
	if signsIn {
		p.tellf("sign in at %s", made.GetSignInUrl())
	} else {
		p.tellf("it has no password; set one with: hush admin account reset-password --password-file FILE %s", account.GetAddress())
	}
	p.tellf("create an API token for scripts with: hush admin token create %s", account.GetAddress())
}

func (p program) listAccountsCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "list all accounts, the newest first", Args: takes(0, 0)}
	s := addSettings(c, adminFlags()...)
	c.RunE = func(c *cobra.Command, _ []string) error { return p.listAccounts(c.Context(), s) }
	return c
}

func (p program) listAccounts(ctx context.Context, s *settings) error {
	var rows [][]string
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
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

func (p program) showAccountCommand() *cobra.Command {
	c := &cobra.Command{Use: "show ADDRESS", Short: "show an account with its tokens, domains and sessions", Args: takes(1, 1)}
	s := addSettings(c, adminFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return p.showAccount(c.Context(), s, args[0]) }
	return c
}

func (p program) showAccount(ctx context.Context, s *settings, address string) error {
	var shown *adminv1.GetAccountResponse
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		shown, err = admin.GetAccount(ctx, &adminv1.GetAccountRequest{Account: address})
		return noAccount(err, address)
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
		listing{"\nTOKEN,NAME,SCOPES,CREATED,EXPIRES,USED", tokenRows(shown.GetApiTokens())},
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

func (p program) setRoleCommand() *cobra.Command {
	c := &cobra.Command{Use: "role ADDRESS customer|colonel", Short: "set what an account may do", Args: takes(2, 2)}
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []cobra.Completion{"customer", "colonel"}, cobra.ShellCompDirectiveNoFileComp
	}
	s := addSettings(c, adminFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return p.setRole(c.Context(), s, args[0], args[1]) }
	return c
}

func (p program) setRole(ctx context.Context, s *settings, address, name string) error {
	role := roleOf(name)
	if role == hushv1.Role_ROLE_UNSPECIFIED {
		return usage("the role must be customer or colonel")
	}
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.SetRole(ctx, &adminv1.SetRoleRequest{Account: address, Role: role})
		return noAccount(err, address)
	})
	if err != nil {
		return err
	}
	p.tellf("%s is a %s now", address, name)
	return nil
}

func (p program) resetPasswordCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "reset-password ADDRESS", Short: "set a password; sessions and tokens of the account end", Args: takes(1, 1),
	}
	s := addSettings(c, adminFlags()...)
	passwordFile(&file)(c.Flags(), "password-file")
	c.RunE = func(c *cobra.Command, args []string) error {
		password, err := p.password(c.Context(), file)
		if err != nil {
			return err
		}
		if password == "" {
			return usage("a password is missing: give --password-file FILE, or - for standard input")
		}
		return p.resetPassword(c.Context(), s, args[0], password)
	}
	return c
}

func (p program) resetPassword(ctx context.Context, s *settings, address, password string) error {
	var sealed int64
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		done, err := admin.ResetPassword(ctx, &adminv1.ResetPasswordRequest{Account: address, Password: password})
		sealed = done.GetSealedCount()
		return noAccount(err, address)
	})
	if err != nil {
		return err
	}
	p.tellf("set the password of %s; its sessions and API tokens have ended", address)
	if sealed > 0 {
		p.tellf("its list can no longer show %d receipts", sealed)
	}
	return nil
}

func (p program) disableAccountCommand() *cobra.Command {
	var enable bool
	c := &cobra.Command{Use: "disable ADDRESS", Short: "lock an account, or unlock it", Args: takes(1, 1)}
	s := addSettings(c, adminFlags()...)
	c.Flags().BoolVar(&enable, "enable", false, "unlock it instead")
	c.RunE = func(c *cobra.Command, args []string) error { return p.disableAccount(c.Context(), s, args[0], enable) }
	return c
}

func (p program) disableAccount(ctx context.Context, s *settings, address string, enable bool) error {
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.DisableAccount(ctx, &adminv1.DisableAccountRequest{Account: address, Enable: enable})
		return noAccount(err, address)
	})
	if err != nil {
		return err
	}
	if enable {
		p.tellf("%s is unlocked", address)
	} else {
		p.tellf("%s is locked; \"hush admin account disable --enable %s\" unlocks it", address, address)
	}
	return nil
}

func (p program) destroyAccountCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{Use: "destroy ADDRESS", Short: "destroy an account and burn its secrets", Args: takes(1, 1)}
	s := addSettings(c, adminFlags()...)
	c.Flags().BoolVar(&yes, "yes", false, "confirm; without this nothing happens")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !yes {
			return usage("this would destroy the account %s for good, burn every secret of it that waits, "+
				"end its sessions and API tokens, and release its domains; add --yes to confirm", args[0])
		}
		return p.destroyAccount(c.Context(), s, args[0])
	}
	return c
}

func (p program) destroyAccount(ctx context.Context, s *settings, address string) error {
	var burned int32
	err := p.withAdmin(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		done, err := admin.DestroyAccount(ctx, &adminv1.DestroyAccountRequest{Account: address})
		burned = done.GetBurned()
		return noAccount(err, address)
	})
	if err != nil {
		return err
	}
	p.tellf("destroyed the account %s; secrets burned: %d", address, burned)
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
