package handlers

import (
	"context"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/caller"
)

// CreateToken creates an API token and returns it.
func (s *AdminService) CreateToken(ctx context.Context, req *adminv1.CreateTokenRequest) (*adminv1.CreateTokenResponse, error) {
	asked, err := newTokenOf(req.GetName(), req.GetScopes(), req.GetTtl())
	if err != nil {
		return nil, err
	}
	token, made, err := s.operator.Tokens.CreateToken(ctx, caller.Text(req.GetAccount()), asked)
	if err != nil {
		return nil, err
	}
	return &adminv1.CreateTokenResponse{Token: token.Expose(), ApiToken: apiTokenOf(made)}, nil
}

// ListTokens lists an account's tokens.
func (s *AdminService) ListTokens(ctx context.Context, req *adminv1.ListTokensRequest) (*adminv1.ListTokensResponse, error) {
	tokens, err := s.operator.Tokens.ListTokens(ctx, caller.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &adminv1.ListTokensResponse{ApiTokens: each(tokens, apiTokenOf)}, nil
}

// RevokeToken revokes a token.
func (s *AdminService) RevokeToken(ctx context.Context, req *adminv1.RevokeTokenRequest) (*adminv1.RevokeTokenResponse, error) {
	ended, err := s.operator.Tokens.RevokeToken(ctx, caller.Text(req.GetAccount()), req.GetToken())
	if err != nil {
		return nil, err
	}
	return &adminv1.RevokeTokenResponse{ApiToken: apiTokenOf(ended)}, nil
}
