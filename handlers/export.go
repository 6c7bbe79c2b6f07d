package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/receipt"
	"hush/vault/request"
)

// ExportAccount returns everything that is stored about the caller's account.
func (s *AccountService) ExportAccount(ctx context.Context, _ *hushv1.ExportAccountRequest) (*hushv1.ExportAccountResponse, error) {
	caller := chain.CallerFrom(ctx)
	account, err := s.accounts.GetAccount(ctx, caller)
	if err != nil {
		return nil, err
	}
	tokens, err := s.tokens.ListAPITokens(ctx, caller)
	if err != nil {
		return nil, err
	}
	sessions, err := s.sessions.ListSessions(ctx, caller)
	if err != nil {
		return nil, err
	}
	domains, err := s.domains.ListDomains(ctx, caller)
	if err != nil {
		return nil, err
	}
	page, err := s.receipts.ListMetadata(ctx, caller, receipt.ListQuery{Size: receipt.ListMost})
	if err != nil {
		return nil, err
	}
	requests, err := s.requests.ListRequests(ctx, caller, request.ListMost, "")
	if err != nil {
		return nil, err
	}
	return &hushv1.ExportAccountResponse{
		Account: accountOf(account), ApiTokens: each(tokens, apiTokenOf), Sessions: each(sessions, sessionOf),
		Domains: each(domains, domainOf), Metadata: each(page.Metadata, metadataOf), NextPageToken: page.Next,
		SealedCount: int32(page.Sealed), Requests: each(requests.Requests, requestOf),
	}, nil
}
