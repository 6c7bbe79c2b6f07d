package handlers

import (
	"context"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/signup"
)

// CreateAccount creates an account that is ready for use.
func (s *AdminService) CreateAccount(ctx context.Context, req *adminv1.CreateAccountRequest) (*adminv1.CreateAccountResponse, error) {
	account, err := s.operator.SignUps.CreateAccount(ctx, signup.OperatorAccount{
		Address: caller.Text(req.GetAddress()), Password: caller.Text(req.GetPassword()),
		Role: account.Role(req.GetRole()), Locale: canonicalLocale(req.GetLocale()),
	})
	if err != nil {
		return nil, err
	}
	return &adminv1.CreateAccountResponse{
		Account: accountOf(account), SignInUrl: s.base.JoinPath("signin").String(),
	}, nil
}

// ListAccounts lists accounts.
func (s *AdminService) ListAccounts(ctx context.Context, req *adminv1.ListAccountsRequest) (*adminv1.ListAccountsResponse, error) {
	accounts, next, err := s.operator.Accounts.ListAccounts(ctx, int(req.GetPageSize()), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &adminv1.ListAccountsResponse{Accounts: each(accounts, accountOf), NextPageToken: next}, nil
}

// GetAccount returns an account and what belongs to it.
func (s *AdminService) GetAccount(ctx context.Context, req *adminv1.GetAccountRequest) (*adminv1.GetAccountResponse, error) {
	found, err := s.operator.FindAccount(ctx, caller.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &adminv1.GetAccountResponse{
		Account: accountOf(found.Account), ApiTokens: each(found.Tokens, apiTokenOf),
		Domains: each(found.Domains, domainOf), Sessions: each(found.Sessions, sessionOf),
	}, nil
}

// SetRole sets the role of an account.
func (s *AdminService) SetRole(ctx context.Context, req *adminv1.SetRoleRequest) (*adminv1.SetRoleResponse, error) {
	account, err := s.operator.Accounts.SetRole(ctx, caller.Text(req.GetAccount()), account.Role(req.GetRole()))
	if err != nil {
		return nil, err
	}
	return &adminv1.SetRoleResponse{Account: accountOf(account)}, nil
}

// ResetPassword sets a password.
func (s *AdminService) ResetPassword(ctx context.Context, req *adminv1.ResetPasswordRequest) (*adminv1.ResetPasswordResponse, error) {
	sealed, err := s.operator.Accounts.ResetPassword(ctx, caller.Text(req.GetAccount()), caller.Text(req.GetPassword()))
	if err != nil {
		return nil, err
	}
	return &adminv1.ResetPasswordResponse{SealedCount: sealed}, nil
}

// DisableAccount disables or enables an account.
func (s *AdminService) DisableAccount(ctx context.Context, req *adminv1.DisableAccountRequest) (*adminv1.DisableAccountResponse, error) {
	account, err := s.operator.Accounts.DisableAccount(ctx, caller.Text(req.GetAccount()), !req.GetEnable())
	if err != nil {
		return nil, err
	}
	return &adminv1.DisableAccountResponse{Account: accountOf(account)}, nil
}

// DestroyAccount destroys an account.
func (s *AdminService) DestroyAccount(ctx context.Context, req *adminv1.DestroyAccountRequest) (*adminv1.DestroyAccountResponse, error) {
	burned, err := s.operator.Accounts.DestroyAccount(ctx, caller.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &adminv1.DestroyAccountResponse{Burned: int32(burned)}, nil
}

// CreateInvite creates an invite.
func (s *AdminService) CreateInvite(ctx context.Context, req *adminv1.CreateInviteRequest) (*adminv1.CreateInviteResponse, error) {
	invite, err := s.operator.SignUps.CreateInvite(ctx, caller.Text(req.GetAddress()))
	if err != nil {
		return nil, err
	}
	return &adminv1.CreateInviteResponse{
		SignUpUrl: s.base.JoinPath("signup", string(invite.Key)).String(), ExpireTime: stamp(invite.Expires), Mailed: invite.Mailed,
	}, nil
}

// ListInvites lists the invites that can still be used.
func (s *AdminService) ListInvites(ctx context.Context, req *adminv1.ListInvitesRequest) (*adminv1.ListInvitesResponse, error) {
	list, next, err := s.operator.SignUps.ListInvites(ctx, int(req.GetPageSize()), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &adminv1.ListInvitesResponse{Invites: each(list, inviteOf), NextPageToken: next}, nil
}

// RevokeInvite revokes an invite.
func (s *AdminService) RevokeInvite(ctx context.Context, req *adminv1.RevokeInviteRequest) (*adminv1.RevokeInviteResponse, error) {
	if err := s.operator.SignUps.RevokeInvite(ctx, req.GetInviteId()); err != nil {
		return nil, err
	}
	return &adminv1.RevokeInviteResponse{}, nil
}

// ImportAccounts creates accounts, all or none.
func (s *AdminService) ImportAccounts(ctx context.Context, req *adminv1.ImportAccountsRequest) (*adminv1.ImportAccountsResponse, error) {
	imported, skipped, err := s.operator.SignUps.ImportAccounts(ctx, each(req.GetEntries(), readEntry), req.GetSkipExisting())
	if err != nil {
		return nil, err
	}
	return &adminv1.ImportAccountsResponse{Imported: int32(imported), Skipped: int32(skipped)}, nil
}

func readEntry(e *adminv1.ImportAccountsRequest_Entry) signup.ImportedAccount {
	return signup.ImportedAccount{
		Address: caller.Text(e.GetAddress()), Token: caller.Text(e.GetToken()),
		Role: account.Role(e.GetRole()), Locale: canonicalLocale(e.GetLocale()),
	}
}
