package handlers

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
)

// GenerateApiToken creates an API token and returns it.
func (s *AccountService) GenerateApiToken(ctx context.Context, req *hushv1.GenerateApiTokenRequest) (*hushv1.GenerateApiTokenResponse, error) { //nolint:revive // the contract's name
	asked, err := newTokenOf(req.GetName(), req.GetScopes(), req.GetTtl())
	if err != nil {
		return nil, err
	}
	asked.Rotate = req.GetRotate()
	token, made, err := s.tokens.GenerateAPIToken(ctx, chain.CallerFrom(ctx), asked)
	if err != nil {
		return nil, err
	}
	return &hushv1.GenerateApiTokenResponse{Token: token.Expose(), ApiToken: apiTokenOf(made)}, nil
}

// ListApiTokens lists the account's tokens.
func (s *AccountService) ListApiTokens(ctx context.Context, _ *hushv1.ListApiTokensRequest) (*hushv1.ListApiTokensResponse, error) { //nolint:revive // the contract's name
	tokens, err := s.tokens.ListAPITokens(ctx, chain.CallerFrom(ctx))
	if err != nil {
		return nil, err
	}
	return &hushv1.ListApiTokensResponse{ApiTokens: each(tokens, apiTokenOf)}, nil
}

// RevokeApiToken revokes a token.
func (s *AccountService) RevokeApiToken(ctx context.Context, req *hushv1.RevokeApiTokenRequest) (*hushv1.RevokeApiTokenResponse, error) { //nolint:revive // the contract's name
	if err := s.tokens.RevokeAPIToken(ctx, chain.CallerFrom(ctx), req.GetTokenId()); err != nil {
		return nil, err
	}
	return &hushv1.RevokeApiTokenResponse{}, nil
}

func newTokenOf(name string, scopes []hushv1.TokenScope, ttl *durationpb.Duration) (credential.NewToken, error) {
	token := credential.NewToken{Name: name}
	for _, scope := range scopes {
		bit := scopeBit(scope)
		if bit == 0 { // leaving it out would widen the token's scopes
			return credential.NewToken{}, &refusal.InvalidError{Field: "scopes", Text: "holds an unknown one"}
		}
		token.Scopes |= bit
	}
	if ttl != nil {
		asked := ttl.AsDuration()
		token.TTL = &asked
	}
	return token, nil
}

func apiTokenOf(t credential.APIToken) *hushv1.ApiToken {
	return &hushv1.ApiToken{
		TokenId: t.ID, Name: t.Name, Scopes: tokenScopes(t.Scopes),
		CreateTime: stamp(t.Created), ExpireTime: stamp(t.Expires), UseTime: stamp(t.Used), ParentId: t.Parent,
	}
}

// scopeBit returns the vault's value of a scope, or zero for an unknown one.
func scopeBit(scope hushv1.TokenScope) caller.Scopes {
	switch scope {
	case hushv1.TokenScope_TOKEN_SCOPE_CONCEAL:
		return caller.ScopeConceal
	case hushv1.TokenScope_TOKEN_SCOPE_REVEAL:
		return caller.ScopeReveal
	case hushv1.TokenScope_TOKEN_SCOPE_METADATA:
		return caller.ScopeMetadata
	case hushv1.TokenScope_TOKEN_SCOPE_ACCOUNT:
		return caller.ScopeAccount
	case hushv1.TokenScope_TOKEN_SCOPE_REQUEST:
		return caller.ScopeRequest
	default:
		return 0
	}
}

// tokenScopes returns the scopes of a set in numerical order.
func tokenScopes(set caller.Scopes) []hushv1.TokenScope {
	var list []hushv1.TokenScope
	for _, scope := range []hushv1.TokenScope{
		hushv1.TokenScope_TOKEN_SCOPE_CONCEAL, hushv1.TokenScope_TOKEN_SCOPE_REVEAL,
		hushv1.TokenScope_TOKEN_SCOPE_METADATA, hushv1.TokenScope_TOKEN_SCOPE_ACCOUNT,
		hushv1.TokenScope_TOKEN_SCOPE_REQUEST,
	} {
		if set&scopeBit(scope) != 0 {
			list = append(list, scope)
		}
	}
	return list
}
