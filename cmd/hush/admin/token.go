package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
	"hush/server/settings"
)

// command returns "hush admin token".
func (a tokens) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "token", Short: "create, list and revoke API tokens", Long: "Create, list and revoke API tokens." + serviceHelp,
		Example: `# Create a token, and see those of the account
hush admin token create ann@example.com
hush admin token list ann@example.com`,
	}, a.createCommand(), a.listCommand(), a.revokeCommand())
}

// createCommand prints the token alone on standard output, for scripts.
func (a tokens) createCommand() *cobra.Command {
	var request adminv1.CreateTokenRequest
	var ttl time.Duration
	c := &cobra.Command{
		Use: "create ADDRESS", Short: "create an API token and print it", Args: command.Takes(1, 1),
		Example: `# Create a token called "ci" that can only share, for 90 days
hush admin token create --name ci --scope conceal --ttl 90d ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	flags.Text(&request.Name, "", "`name` of the token, unique in its account (default: a new one)")(c.Flags(), "name")
	flags.Repeated(&request.Scopes, "comma-separated `scopes` out of conceal, reveal, metadata, account and request (default: all)", parseScopes)(c.Flags(), "scope")
	flags.Duration(&ttl, "", "`lifetime` of the token, such as 90d (default: it does not expire)")(c.Flags(), "ttl")
	command.HoldOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		request.Account = args[0]
		if ttl != 0 {
			request.Ttl = durationpb.New(ttl)
		}
		return a.create(c.Context(), s, &request)
	}
	return c
}

func (a tokens) create(ctx context.Context, s *settings.Settings, request *adminv1.CreateTokenRequest) error {
	if err := command.NeedOutput(a.Console, "the token would be lost"); err != nil {
		return err
	}
	var created *adminv1.CreateTokenResponse
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		created, err = admin.CreateToken(ctx, request)
		if connect.CodeOf(err) == connect.CodeAlreadyExists {
			return fmt.Errorf("the account has an API token %q already", request.GetName())
		}
		return orNoAccount(err, request.GetAccount())
	})
	if err != nil {
		return err
	}
	a.Tellf("created the API token %q of %s; it is shown only now", created.GetApiToken().GetName(), request.GetAccount())
	for _, warning := range scopeWarnings(request, created.GetApiToken()) {
		a.Tellf("%s", warning)
	}
	if _, err = fmt.Fprintln(a.Out, created.GetToken()); err != nil {
		return fmt.Errorf("the API token was created and is valid, and could not be printed; \"hush admin token revoke %s %s\" revokes it: %w",
			request.GetAccount(), created.GetApiToken().GetTokenId(), err)
	}
	return nil
}

// scopeWarnings says what a token may do and for how long, where the command line does not.
func scopeWarnings(request *adminv1.CreateTokenRequest, made *hushv1.ApiToken) (warnings []string) {
	if len(request.GetScopes()) == 0 {
		warnings = append(warnings, fmt.Sprintf("the token has all scopes, %s: --scope conceal makes one that can only share",
			strings.ReplaceAll(scopeNames(made.GetScopes()), ",", ", ")))
	}
	if made.GetExpireTime() == nil {
		warnings = append(warnings, "the token never expires: --ttl 90d makes one that does")
	}
	return warnings
}

func (a tokens) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list ADDRESS", Short: "list the API tokens of an account", Args: command.Takes(1, 1),
		Example: `# List the tokens of an account
hush admin token list ann@example.com`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.list(c.Context(), s, args[0]) }
	return c
}

func (a tokens) list(ctx context.Context, s *settings.Settings, account string) error {
	var rows [][]string
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		list, err := admin.ListTokens(ctx, &adminv1.ListTokensRequest{Account: account})
		rows = tokenRows(list.GetApiTokens())
		return orNoAccount(err, account)
	})
	if err != nil {
		return err
	}
	return a.Table("ID,NAME,SCOPES,CREATED,EXPIRES,USED,MADE WITH", rows)
}

func tokenRows(tokens []*hushv1.ApiToken) [][]string {
	rows := make([][]string, len(tokens))
	for i, t := range tokens {
		rows[i] = []string{
			t.GetTokenId(), t.GetName(), scopeNames(t.GetScopes()),
			console.Moment(t.GetCreateTime()), console.Moment(t.GetExpireTime()), console.Moment(t.GetUseTime()),
			console.OrDash(t.GetParentId()),
		}
	}
	return rows
}

func (a tokens) revokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "revoke ADDRESS ID|NAME", Short: "revoke an API token", Args: command.Takes(2, 2),
		Example: `# Revoke the token called "ci"
hush admin token revoke ann@example.com ci`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error { return a.revoke(c.Context(), s, args[0], args[1]) }
	return c
}

func (a tokens) revoke(ctx context.Context, s *settings.Settings, account, token string) error {
	var revoked *adminv1.RevokeTokenResponse
	err := a.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		revoked, err = admin.RevokeToken(ctx, &adminv1.RevokeTokenRequest{Account: account, Token: token})
		return orNotFound(err, "there is no account %s with an API token %q", account, token)
	})
	if err != nil {
		return err
	}
	a.Tellf("revoked the API token %q of %s", revoked.GetApiToken().GetName(), account)
	return nil
}

// parseScopes refuses a list without a scope, as of a script whose variable is empty:
// the token would have all.
func parseScopes(text string) ([]hushv1.TokenScope, error) {
	var scopes []hushv1.TokenScope
	for _, part := range flags.SplitList(text) {
		scope := hushv1.TokenScope(hushv1.TokenScope_value["TOKEN_SCOPE_"+strings.ToUpper(part)])
		if scope == hushv1.TokenScope_TOKEN_SCOPE_UNSPECIFIED {
			return nil, fmt.Errorf("%q is none of conceal, reveal, metadata, account and request", part)
		}
		scopes = append(scopes, scope)
	}
	if len(scopes) == 0 {
		return nil, errors.New("must name at least one of conceal, reveal, metadata, account and request")
	}
	return scopes, nil
}

func scopeNames(scopes []hushv1.TokenScope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = strings.ToLower(strings.TrimPrefix(scope.String(), "TOKEN_SCOPE_"))
	}
	return console.OrDash(strings.Join(names, ","))
}
