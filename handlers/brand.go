package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/domain"
)

// UpdateDomainBrand changes the branding of a domain's pages.
func (s *DomainService) UpdateDomainBrand(ctx context.Context, req *hushv1.UpdateDomainBrandRequest) (*hushv1.UpdateDomainBrandResponse, error) {
	change := readBrand(req.GetBrand())
	domain, err := s.domains.UpdateDomainBrand(ctx, chain.CallerFrom(ctx), req.GetDomain(), change, req.GetUnset())
	if err != nil {
		return nil, err
	}
	return &hushv1.UpdateDomainBrandResponse{Domain: domainOf(domain)}, nil
}

// GetDomainBrand returns the branding of a domain's pages.
func (s *DomainService) GetDomainBrand(ctx context.Context, req *hushv1.GetDomainBrandRequest) (*hushv1.GetDomainBrandResponse, error) {
	domain, err := s.domains.GetDomain(ctx, chain.CallerFrom(ctx), req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &hushv1.GetDomainBrandResponse{Domain: domainOf(domain)}, nil
}

// GetPublicBrand returns the branding of a verified domain to every caller.
func (s *DomainService) GetPublicBrand(ctx context.Context, req *hushv1.GetPublicBrandRequest) (*hushv1.GetPublicBrandResponse, error) {
	domain, err := s.domains.GetPublicBrand(ctx, req.GetDomain())
	if err != nil {
		return nil, err
	}
	return &hushv1.GetPublicBrandResponse{
		DomainId: domain.ID, DisplayDomain: domain.Name, Brand: brandOf(domain.Brand),
		HasLogo: domain.Logo != nil, HasIcon: domain.Icon != nil,
	}, nil
}

// readBrand and brandOf share the pointers to field values, which never change.
func readBrand(b *hushv1.Brand) domain.Brand {
	if b == nil {
		return domain.Brand{}
	}
	return domain.Brand{
		PrimaryColor: b.PrimaryColor, Colour: b.Colour, FontFamily: b.FontFamily, CornerStyle: b.CornerStyle,
		ButtonTextLight:       b.ButtonTextLight,
		InstructionsPreReveal: b.InstructionsPreReveal, InstructionsReveal: b.InstructionsReveal,
		InstructionsPostReveal: b.InstructionsPostReveal,
		Description:            b.Description, Locale: b.Locale,
		AllowPublicHomepage: b.AllowPublicHomepage, AllowPublicAPI: b.AllowPublicApi,
	}
}

func brandOf(b domain.Brand) *hushv1.Brand {
	return &hushv1.Brand{
		PrimaryColor: b.PrimaryColor, Colour: b.Colour, FontFamily: b.FontFamily, CornerStyle: b.CornerStyle,
		ButtonTextLight:       b.ButtonTextLight,
		InstructionsPreReveal: b.InstructionsPreReveal, InstructionsReveal: b.InstructionsReveal,
		InstructionsPostReveal: b.InstructionsPostReveal,
		Description:            b.Description, Locale: b.Locale,
		AllowPublicHomepage: b.AllowPublicHomepage, AllowPublicApi: b.AllowPublicAPI,
	}
}
