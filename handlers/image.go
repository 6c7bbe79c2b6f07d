package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/domain"
)

// UpdateDomainLogo stores an image.
func (s *DomainService) UpdateDomainLogo(ctx context.Context, req *hushv1.UpdateDomainLogoRequest) (*hushv1.UpdateDomainLogoResponse, error) {
	kind := imageKind(req.GetKind())
	domain, image, err := s.domains.UpdateDomainLogo(ctx, chain.CallerFrom(ctx), req.GetDomain(), kind, req.GetContent())
	if err != nil {
		return nil, err
	}
	return &hushv1.UpdateDomainLogoResponse{Domain: domainOf(domain), Image: imageOf(image)}, nil
}

// GetDomainLogo returns an image.
func (s *DomainService) GetDomainLogo(ctx context.Context, req *hushv1.GetDomainLogoRequest) (*hushv1.GetDomainLogoResponse, error) {
	image, err := s.domains.GetDomainLogo(ctx, chain.CallerFrom(ctx), req.GetDomain(), imageKind(req.GetKind()))
	if err != nil {
		return nil, err
	}
	return &hushv1.GetDomainLogoResponse{Image: imageOf(image)}, nil
}

// DeleteDomainLogo deletes an image.
func (s *DomainService) DeleteDomainLogo(ctx context.Context, req *hushv1.DeleteDomainLogoRequest) (*hushv1.DeleteDomainLogoResponse, error) {
	domain, err := s.domains.DeleteDomainLogo(ctx, chain.CallerFrom(ctx), req.GetDomain(), imageKind(req.GetKind()))
	if err != nil {
		return nil, err
	}
	return &hushv1.DeleteDomainLogoResponse{Domain: domainOf(domain)}, nil
}

// GetPublicImage returns an image to every caller.
func (s *DomainService) GetPublicImage(ctx context.Context, req *hushv1.GetPublicImageRequest) (*hushv1.GetPublicImageResponse, error) {
	image, err := s.domains.GetPublicImage(ctx, req.GetDomainId(), imageKind(req.GetKind()))
	if err != nil {
		return nil, err
	}
	return &hushv1.GetPublicImageResponse{Image: imageOf(image)}, nil
}

// imageKind returns the vault's kind of an image. Unknown kinds were refused
// before.
func imageKind(kind hushv1.ImageKind) domain.ImageKind {
	if kind == hushv1.ImageKind_IMAGE_KIND_ICON {
		return domain.ImageIcon
	}
	return domain.ImageLogo
}

func imageOf(i domain.Image) *hushv1.Image {
	filename := "logo.png"
	if i.Kind == domain.ImageIcon {
		filename = "icon.png"
	}
	return &hushv1.Image{
		Content: i.Content, ContentType: "image/png", Filename: filename,
		Width: int32(i.Width), Height: int32(i.Height), Size: i.Size, UpdateTime: stamp(i.Updated),
	}
}

func imageOrNone(i *domain.Image) *hushv1.Image {
	if i == nil {
		return nil
	}
	return imageOf(*i)
}
