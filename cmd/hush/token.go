package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
)

// token looks after API tokens.
func (p program) token(ctx context.Context, args []string) error {
	return p.choose(ctx, "token", []word{
		{"create", "[--name NAME] [--scope SCOPES] [--ttl LIFETIME] ADDRESS", "make an API token and print it", program.createToken},
		{"list", "ADDRESS", "list the API tokens of an account", program.listTokens},
		{"revoke", "ADDRESS ID|NAME", "end an API token", program.revokeToken},
	}, args)
}

// createToken prints the token alone on standard output, for scripts.
func (p program) createToken(ctx context.Context, args []string) error {
	var request adminv1.CreateTokenRequest
	var ttl time.Duration
	s, err := p.parseForm(form{
		name: "token create", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags(),
		own: func(set *flag.FlagSet) {
			text(&request.Name, "", "the token's `name`, unique in its account (default: a fresh one)")(set, "name")
			repeated(&request.Scopes, "comma-separated `scopes`, of conceal, reveal, metadata and account (default: all)", parseScopes)(set, "scope")
			duration(&ttl, "", "how long it is good, as in 90d (default: for ever)")(set, "ttl")
		},
	}, args)
	if err != nil {
		return err
	}
	request.Account = s.rest[0]
	if ttl != 0 {
		request.Ttl = durationpb.New(ttl)
	}
	var made *adminv1.CreateTokenResponse
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		made, err = admin.CreateToken(ctx, &request)
		if connect.CodeOf(err) == connect.CodeAlreadyExists {
			return fmt.Errorf("the account has an API token %q already", request.GetName())
		}
		return noAccount(err, request.GetAccount())
	})
	if err != nil {
		return err
	}
	p.tellf("made the API token %q of %s; it is shown this once", made.GetApiToken().GetName(), request.GetAccount())
	_, err = fmt.Fprintln(p.stdout, made.GetToken())
	return err
}

func (p program) listTokens(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "token list", arguments: "ADDRESS", least: 1, most: 1, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	var rows [][]string
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		list, err := admin.ListTokens(ctx, &adminv1.ListTokensRequest{Account: s.rest[0]})
		rows = tokenRows(list.GetApiTokens())
		return noAccount(err, s.rest[0])
	})
	if err != nil {
		return err
	}
	return p.table("TOKEN,NAME,SCOPES,CREATED,ENDS,USED", rows)
}

func tokenRows(tokens []*hushv1.ApiToken) [][]string {
	rows := make([][]string, len(tokens))
	for i, t := range tokens {
		rows[i] = []string{
			t.GetTokenId(), t.GetName(), nameScopes(t.GetScopes()),
			moment(t.GetCreateTime()), moment(t.GetExpireTime()), moment(t.GetUseTime()),
		}
	}
	return rows
}

func (p program) revokeToken(ctx context.Context, args []string) error {
	s, err := p.parseForm(form{name: "token revoke", arguments: "ADDRESS ID|NAME", least: 2, most: 2, flags: adminFlags()}, args)
	if err != nil {
		return err
	}
	var ended *adminv1.RevokeTokenResponse
	err = p.withAdmin(ctx, &s.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		ended, err = admin.RevokeToken(ctx, &adminv1.RevokeTokenRequest{Account: s.rest[0], Token: s.rest[1]})
		return named(err, "there is no account %s with an API token %q", s.rest[0], s.rest[1])
	})
	if err != nil {
		return err
	}
	p.tellf("ended the API token %q of %s", ended.GetApiToken().GetName(), s.rest[0])
	return nil
}

func parseScopes(text string) ([]hushv1.TokenScope, error) {
	var scopes []hushv1.TokenScope
	for _, part := range splitList(text) {
		scope := hushv1.TokenScope(hushv1.TokenScope_value["TOKEN_SCOPE_"+strings.ToUpper(part)])
		if scope == hushv1.TokenScope_TOKEN_SCOPE_UNSPECIFIED {
			return nil, fmt.Errorf("%q is none of conceal, reveal, metadata and account", part)
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

func nameScopes(scopes []hushv1.TokenScope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = strings.ToLower(strings.TrimPrefix(scope.String(), "TOKEN_SCOPE_"))
	}
	return orDash(strings.Join(names, ","))
}
