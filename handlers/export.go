package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

// ExportAccount answers whatever is kept of the caller's account.
func (s *AccountService) ExportAccount(ctx context.Context, _ *hushv1.ExportAccountRequest) (*hushv1.ExportAccountResponse, error) {
	caller := callerFrom(ctx)
	account, err := s.vault.GetAccount(ctx, caller)
	if err != nil {
		return nil, err
	}
	tokens, err := s.vault.ListAPITokens(ctx, caller)
	if err != nil {
		return nil, err
	}
	sessions, err := s.vault.ListSessions(ctx, caller)
	if err != nil {
		return nil, err
	}
	domains, err := s.vault.ListDomains(ctx, caller)
	if err != nil {
		return nil, err
	}
	page, err := s.vault.ListMetadata(ctx, caller, vault.ListQuery{Size: vault.ListMost})
	if err != nil {
		return nil, err
	}
	return &hushv1.ExportAccountResponse{
		Account: accountOf(account), ApiTokens: each(tokens, apiTokenOf), Sessions: each(sessions, sessionOf),
		Domains: each(domains, domainOf), Metadata: each(page.Metadata, metadataOf), NextPageToken: page.Next,
		SealedCount: int32(page.Sealed),
	}, nil
}
