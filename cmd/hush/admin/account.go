package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
	"hush/server/datafolder"
	"hush/server/settings"
)

// accountPage is how many accounts are asked for at a time.
const accountPage = 1000

// command returns "hush admin account".
func (a accounts) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "account", Short: "create, change, list and destroy accounts", Long: "Create, change, list and destroy accounts." + serviceHelp,
		Example: `# Create an account, and show it
hush admin account create ann@example.com
hush admin account show ann@example.com`,
	},
		a.createCommand(), a.listCommand(), a.showCommand(), a.setRoleCommand(),
		a.resetPasswordCommand(), a.disableCommand(), a.destroyCommand(), a.importCommand(), invites(a).command(),
	)
}

func (a accounts) createCommand() *cobra.Command {
	var request adminv1.CreateAccountRequest
	var file, role string
	c := &cobra.Command{
		Use: "create ADDRESS", Short: "create an account", Args: command.Takes(1, 1),
		Long: `Create an account that is ready for use: its address needs no confirmation.

Without --password-file, a terminal asks for the password. An account without a
password cannot sign in until it has one; its API tokens work.` + serviceHelp,
		Example: `# Create an administrator's account, and ask for its password
hush admin account create --role colonel you@example.com
# Read the password from a file
hush admin account create --password-file password ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags("base-url", "listen", "tls-cert")...)
	passwordFile(&file)(c.Flags(), "password-file")
	flags.Choice(&role, "role of the account; a colonel is an administrator", "customer", "colonel")(c.Flags(), "role")
	flags.Text(&request.Locale, "", "`language` of the account, such as pt_BR")(c.Flags(), "locale")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		request.Address, request.Role = args[0], parseRole(role)
		if err = datafolder.CheckNew(s); err != nil { // before a password is typed in vain
			return err
		}
		if request.Password, err = a.password(c.Context(), file); err != nil {
			return err
		}
		return a.create(c.Context(), s, &request)
	}
	return c
}

func (a accounts) create(ctx context.Context, s *settings.Settings, request *adminv1.CreateAccountRequest) error {
	var created *adminv1.CreateAccountResponse
	err := a.withNewService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		created, err = admin.CreateAccount(ctx, request)
		if connect.CodeOf(err) == connect.CodeAlreadyExists {
			return fmt.Errorf("there is an account %s already", request.GetAddress())
		}
		return err
	})
	if err != nil {
		return err
	}
	a.tellNext(created, request.GetPassword() != "")
	return nil
}

// tellNext says what comes next for a new account.
func (a accounts) tellNext(created *adminv1.CreateAccountResponse, signsIn bool) {
	account := created.GetAccount()
	if account.GetRole() == hushv1.Role_ROLE_COLONEL {
		a.Tellf("created the administrator's account %s", account.GetAddress())
	} else {
		a.Tellf("created the account %s", account.GetAddress())
	}
	if signsIn {
		a.Tellf("sign in at %s", created.GetSignInUrl())
	} else {
		a.Tellf("it has no password; set one with: hush admin account reset-password --password-file FILE %s", account.GetAddress())
	}
	a.Tellf("create an API token for scripts with: hush admin token create %s", account.GetAddress())
}

func (a accounts) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "list all accounts, newest first", Args: command.Takes(0, 0),
		Example: `# List the accounts
hush admin account list`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, _ []string) error { return a.list(c.Context(), s) }
	return c
}

func (a accounts) list(ctx context.Context, s *settings.Settings) error {
	var rows [][]string
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		for token := ""; ; {
			page, err := admin.ListAccounts(ctx, &adminv1.ListAccountsRequest{PageSize: accountPage, PageToken: token})
			if err != nil {
				return err
			}
			for _, a := range page.GetAccounts() {
				rows = append(rows, []string{a.GetAddress(), roleName(a.GetRole()), accountState(a), console.Moment(a.GetCreateTime()), console.Moment(a.GetSignInTime())})
			}
			if token = page.GetNextPageToken(); token == "" {
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	return a.Table("ADDRESS,ROLE,STATE,CREATED,SIGNED IN", rows)
}

func (a accounts) showCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "show ADDRESS", Short: "show an account with its tokens, domains and sessions", Args: command.Takes(1, 1),
		Example: `# Show an account
hush admin account show ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.show(c.Context(), s, args[0]) }
	return c
}

func (a accounts) show(ctx context.Context, s *settings.Settings, address string) error {
	var shown *adminv1.GetAccountResponse
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		shown, err = admin.GetAccount(ctx, &adminv1.GetAccountRequest{Account: address})
		return orNoAccount(err, address)
	})
	if err != nil {
		return err
	}
	return a.print(shown)
}

func (a accounts) print(shown *adminv1.GetAccountResponse) error {
	account := shown.GetAccount()
	tally := account.GetTally()
	err := a.Table("ACCOUNT,"+account.GetAccountId(), [][]string{
		{"address", account.GetAddress()},
		{"new address", console.OrDash(account.GetPendingAddress())},
		{"role", roleName(account.GetRole())},
		{"state", accountState(account)},
		{"language", console.OrDash(account.GetLocale())},
		{"created", console.Moment(account.GetCreateTime())},
		{"signed in", console.Moment(account.GetSignInTime())},
		{"secrets", fmt.Sprintf("%d created, %d revealed, %d burned", tally.GetSecretsCreated(), tally.GetSecretsShared(), tally.GetSecretsBurned())},
		{"mails", strconv.FormatInt(tally.GetEmailsSent(), 10)},
		{"out of reach", strconv.FormatInt(account.GetSealedCount(), 10) + " receipts since passwords were reset"},
	})
	if err != nil {
		return err
	}
	var sessions [][]string
	for _, session := range shown.GetSessions() {
		sessions = append(sessions, []string{session.GetSessionId(), console.Moment(session.GetCreateTime()), console.Moment(session.GetUseTime()), console.OrDash(session.GetNetwork()),
			console.OrDash(session.GetBrowser()), console.OrDash(session.GetSystem())})
	}
	return a.Tables(
		console.Listing{Header: "\nTOKEN ID,NAME,SCOPES,CREATED,EXPIRES,USED,MADE WITH", Rows: tokenRows(shown.GetApiTokens())},
		console.Listing{Header: "\nDOMAIN,STATE,ACCOUNT,LEADS HERE,CHECKED", Rows: domainRows(shown.GetDomains())},
		console.Listing{Header: "\nSESSION,BEGAN,USED,NETWORK,BROWSER,SYSTEM", Rows: sessions},
	)
}

func (a accounts) setRoleCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "role ADDRESS customer|colonel", Short: "set the role of an account", Args: command.Takes(2, 2),
		Example: `# Make an account an administrator's
hush admin account role ann@example.com colonel`,
	}
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []cobra.Completion{"customer", "colonel"}, cobra.ShellCompDirectiveNoFileComp
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.setRole(c.Context(), s, args[0], args[1]) }
	return c
}

func (a accounts) setRole(ctx context.Context, s *settings.Settings, address, name string) error {
	role := parseRole(name)
	if role == hushv1.Role_ROLE_UNSPECIFIED {
		return command.Usage("the role must be customer or colonel")
	}
	var set *adminv1.SetRoleResponse
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		set, err = admin.SetRole(ctx, &adminv1.SetRoleRequest{Account: address, Role: role})
		return orNoAccount(err, address)
	})
	if err != nil {
		return err
	}
	a.Tellf("%s", roleText(set.GetAccount(), address, role))
	return nil
}

// roleText says which role an account has after it was given one.
func roleText(account *hushv1.Account, address string, given hushv1.Role) string {
	switch {
	case account.GetRole() == given:
		return fmt.Sprintf("%s is a %s now", address, roleName(given))
	case given == hushv1.Role_ROLE_CUSTOMER:
		return address + " stays a colonel: the setting --colonel of the service names it"
	}
	return fmt.Sprintf("%s stays a customer until its address is confirmed, and is a colonel then; to confirm it yourself, make the account anew: "+
		"hush admin account create --role colonel %s", address, address)
}

func (a accounts) resetPasswordCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "reset-password ADDRESS", Short: "set a password and end the sessions and API tokens of the account", Args: command.Takes(1, 1),
		Example: `# Ask for the new password
hush admin account reset-password ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	passwordFile(&file)(c.Flags(), "password-file")
	c.RunE = func(c *cobra.Command, args []string) error {
		password, err := a.password(c.Context(), file)
		if err != nil {
			return err
		}
		if password == "" {
			return command.Usage("a password is missing: give --password-file FILE, or - for standard input")
		}
		return a.resetPassword(c.Context(), s, args[0], password)
	}
	return c
}

func (a accounts) resetPassword(ctx context.Context, s *settings.Settings, address, password string) error {
	var sealed int64
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		done, err := admin.ResetPassword(ctx, &adminv1.ResetPasswordRequest{Account: address, Password: password})
		sealed = done.GetSealedCount()
		return orNoAccount(err, address)
	})
	if err != nil {
		return err
	}
	a.Tellf("set the password of %s; its sessions and API tokens have ended", address)
	if sealed > 0 {
		a.Tellf("its list can no longer show %s", console.Count(sealed, "receipts"))
	}
	return nil
}

func (a accounts) disableCommand() *cobra.Command {
	var enable bool
	c := &cobra.Command{
		Use: "disable ADDRESS", Short: "disable an account, or enable it again", Args: command.Takes(1, 1),
		Example: `# Disable an account
hush admin account disable ann@example.com
# Enable it again
hush admin account disable --enable ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.Flags().BoolVar(&enable, "enable", false, "enable the account again")
	c.RunE = func(c *cobra.Command, args []string) error { return a.disable(c.Context(), s, args[0], enable) }
	return c
}

func (a accounts) disable(ctx context.Context, s *settings.Settings, address string, enable bool) error {
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		_, err := admin.DisableAccount(ctx, &adminv1.DisableAccountRequest{Account: address, Enable: enable})
		return orNoAccount(err, address)
	})
	if err != nil {
		return err
	}
	if enable {
		a.Tellf("%s is enabled", address)
	} else {
		a.Tellf("%s is disabled; \"hush admin account disable --enable %s\" enables it again", address, address)
	}
	return nil
}

func (a accounts) destroyCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "destroy ADDRESS", Short: "destroy an account and burn its secrets", Args: command.Takes(1, 1),
		Example: `# Destroy an account for good
hush admin account destroy --yes ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.Flags().BoolVar(&yes, "yes", false, "confirm; without it, nothing is destroyed")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !yes {
			return command.Usage("this would destroy the account %s for good, burn every secret of it that waits, "+
				"end its sessions and API tokens, and release its domains; add --yes to confirm", args[0])
		}
		return a.destroy(c.Context(), s, args[0])
	}
	return c
}

func (a accounts) destroy(ctx context.Context, s *settings.Settings, address string) error {
	var burned int32
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		done, err := admin.DestroyAccount(ctx, &adminv1.DestroyAccountRequest{Account: address})
		burned = done.GetBurned()
		return orNoAccount(err, address)
	})
	if err != nil {
		return err
	}
	a.Tellf("destroyed the account %s; secrets burned: %d", address, burned)
	return nil
}

func orNoAccount(err error, account string) error {
	return orNotFound(err, "there is no account %s", account)
}

// parseRole is ROLE_UNSPECIFIED for a word that is no role.
func parseRole(word string) hushv1.Role {
	return hushv1.Role(hushv1.Role_value["ROLE_"+strings.ToUpper(word)])
}

func roleName(role hushv1.Role) string {
	return strings.ToLower(strings.TrimPrefix(role.String(), "ROLE_"))
}

func accountState(a *hushv1.Account) string {
	switch {
	case a.GetDisabled():
		return "disabled"
	case !a.GetVerified():
		return "unverified"
	default:
		return "active"
	}
}
