package handlers

import (
	"context"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault"
)

// CreateAccount makes an account that is ready for use.
func (s *AdminService) CreateAccount(ctx context.Context, req *adminv1.CreateAccountRequest) (*adminv1.CreateAccountResponse, error) {
	account, err := s.operator.CreateAccount(ctx, vault.OperatorAccount{
		Address: vault.Text(req.GetAddress()), Password: vault.Text(req.GetPassword()),
		Role: vault.Role(req.GetRole()), Locale: canonicalLocale(req.GetLocale()),
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
	accounts, next, err := s.operator.ListAccounts(ctx, int(req.GetPageSize()), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &adminv1.ListAccountsResponse{Accounts: each(accounts, accountOf), NextPageToken: next}, nil
}

// GetAccount shows an account and what belongs to it.
func (s *AdminService) GetAccount(ctx context.Context, req *adminv1.GetAccountRequest) (*adminv1.GetAccountResponse, error) {
	name := vault.Text(req.GetAccount())
	account, err := s.operator.GetAccount(ctx, name)
	if err != nil {
		return nil, err
	}
	tokens, err := s.operator.ListTokens(ctx, name)
	if err != nil {
		return nil, err
	}
	domains, err := s.operator.ListDomains(ctx, name)
	if err != nil {
		return nil, err
	}
	sessions, err := s.operator.ListSessions(ctx, name)
	if err != nil {
		return nil, err
	}
	return &adminv1.GetAccountResponse{
		Account: accountOf(account), ApiTokens: each(tokens, apiTokenOf),
		Domains: each(domains, domainOf), Sessions: each(sessions, sessionOf),
	}, nil
}

// SetRole sets what an account may do.
func (s *AdminService) SetRole(ctx context.Context, req *adminv1.SetRoleRequest) (*adminv1.SetRoleResponse, error) {
	account, err := s.operator.SetRole(ctx, vault.Text(req.GetAccount()), vault.Role(req.GetRole()))
	if err != nil {
		return nil, err
	}
	return &adminv1.SetRoleResponse{Account: accountOf(account)}, nil
}

// ResetPassword sets a password.
func (s *AdminService) ResetPassword(ctx context.Context, req *adminv1.ResetPasswordRequest) (*adminv1.ResetPasswordResponse, error) {
	sealed, err := s.operator.ResetPassword(ctx, vault.Text(req.GetAccount()), vault.Text(req.GetPassword()))
	if err != nil {
		return nil, err
	}
	return &adminv1.ResetPasswordResponse{SealedCount: sealed}, nil
}

// DisableAccount locks an account or unlocks it.
func (s *AdminService) DisableAccount(ctx context.Context, req *adminv1.DisableAccountRequest) (*adminv1.DisableAccountResponse, error) {
	account, err := s.operator.DisableAccount(ctx, vault.Text(req.GetAccount()), !req.GetEnable())
	if err != nil {
		return nil, err
	}
	return &adminv1.DisableAccountResponse{Account: accountOf(account)}, nil
}

// DestroyAccount ends an account.
func (s *AdminService) DestroyAccount(ctx context.Context, req *adminv1.DestroyAccountRequest) (*adminv1.DestroyAccountResponse, error) {
	burned, err := s.operator.DestroyAccount(ctx, vault.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &adminv1.DestroyAccountResponse{Burned: int32(burned)}, nil
}

// ImportAccounts makes accounts, all or none.
func (s *AdminService) ImportAccounts(ctx context.Context, req *adminv1.ImportAccountsRequest) (*adminv1.ImportAccountsResponse, error) {
	imported, skipped, err := s.operator.ImportAccounts(ctx, each(req.GetEntries(), readEntry), req.GetSkipExisting())
	if err != nil {
		return nil, err
	}
	return &adminv1.ImportAccountsResponse{Imported: int32(imported), Skipped: int32(skipped)}, nil
}

func readEntry(e *adminv1.ImportAccountsRequest_Entry) vault.ImportedAccount {
	return vault.ImportedAccount{
		Address: vault.Text(e.GetAddress()), Token: vault.Text(e.GetToken()),
		Role: vault.Role(e.GetRole()), Locale: canonicalLocale(e.GetLocale()),
	}
}
