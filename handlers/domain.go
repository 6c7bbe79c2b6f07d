package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/domain"
)

// DomainService is hush.v1.DomainService.
type DomainService struct {
	domains *domain.Domains
	checks  *domain.Checks
}

// AddDomain claims a name.
func (s *DomainService) AddDomain(ctx context.Context, req *hushv1.AddDomainRequest) (*hushv1.AddDomainResponse, error) {
	domain, err := s.domains.AddDomain(ctx, chain.CallerFrom(ctx), req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &hushv1.AddDomainResponse{Domain: domainOf(domain)}, nil
}

// RemoveDomain removes a domain.
func (s *DomainService) RemoveDomain(ctx context.Context, req *hushv1.RemoveDomainRequest) (*hushv1.RemoveDomainResponse, error) {
	name, err := s.domains.RemoveDomain(ctx, chain.CallerFrom(ctx), req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &hushv1.RemoveDomainResponse{DisplayDomain: name}, nil
}

// GetDomain returns a domain.
func (s *DomainService) GetDomain(ctx context.Context, req *hushv1.GetDomainRequest) (*hushv1.GetDomainResponse, error) {
	domain, err := s.domains.GetDomain(ctx, chain.CallerFrom(ctx), req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &hushv1.GetDomainResponse{Domain: domainOf(domain)}, nil
}

// ListDomains lists the account's domains.
func (s *DomainService) ListDomains(ctx context.Context, _ *hushv1.ListDomainsRequest) (*hushv1.ListDomainsResponse, error) {
	domains, err := s.domains.ListDomains(ctx, chain.CallerFrom(ctx))
	if err != nil {
		return nil, err
	}
	return &hushv1.ListDomainsResponse{Domains: each(domains, domainOf)}, nil
}

// VerifyDomain queries DNS about a domain.
func (s *DomainService) VerifyDomain(ctx context.Context, req *hushv1.VerifyDomainRequest) (*hushv1.VerifyDomainResponse, error) {
	domain, err := s.checks.VerifyDomain(ctx, chain.CallerFrom(ctx), req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &hushv1.VerifyDomainResponse{Domain: domainOf(domain)}, nil
}

func domainOf(d domain.Domain) *hushv1.Domain {
	return &hushv1.Domain{
		DomainId: d.ID, DisplayDomain: d.Name, BaseDomain: d.Base, Subdomain: d.Subdomain,
		Trd: d.TRD, Tld: d.TLD, Sld: d.SLD, IsApex: d.Apex,
		TxtValidationHost: d.TXTHost, TxtValidationValue: d.TXTValue,
		State: hushv1.DomainState(d.State), Checks: each(d.Checks, checkOf), Resolving: d.Resolving,
		Brand:      brandOf(d.Brand),
		CreateTime: stamp(d.Created), UpdateTime: stamp(d.Updated), VerifyTime: stamp(d.Verified), CheckTime: stamp(d.Checked),
		Logo: imageOrNone(d.Logo), Icon: imageOrNone(d.Icon), Custid: d.Address,
	}
}

func checkOf(c domain.Check) *hushv1.DomainCheck {
	return &hushv1.DomainCheck{
		Kind: hushv1.DomainCheck_Kind(c.Kind), Passed: c.Passed, Name: c.Name,
		Expected: c.Expected, Found: c.Found, Problem: c.Problem, Time: stamp(c.Time),
	}
}
