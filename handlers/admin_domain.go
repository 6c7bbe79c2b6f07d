package handlers

import (
	"context"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/caller"
)

// ListDomains lists the domains of an account, or of all.
func (s *AdminService) ListDomains(ctx context.Context, req *adminv1.ListDomainsRequest) (*adminv1.ListDomainsResponse, error) {
	domains, err := s.operator.Domains.ListDomains(ctx, caller.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &adminv1.ListDomainsResponse{Domains: each(domains, domainOf)}, nil
}

// VerifyDomain queries DNS about a domain.
func (s *AdminService) VerifyDomain(ctx context.Context, req *adminv1.VerifyDomainRequest) (*adminv1.VerifyDomainResponse, error) {
	domain, err := s.operator.Domains.VerifyDomain(ctx, caller.Text(req.GetAccount()), req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &adminv1.VerifyDomainResponse{Domain: domainOf(domain)}, nil
}
