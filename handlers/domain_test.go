package handlers_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/vault/vaulttest"
)

func (s *testServer) domains(b *browser) hushv1connect.DomainServiceClient {
	return hushv1connect.NewDomainServiceClient(s.client(b), s.url)
}

// newDomains returns a server with a claim, its account's client and the DNS.
func newDomains(t *testing.T) (*testServer, hushv1connect.DomainServiceClient, *hushv1.Domain, *resolvertest.Server) {
	t.Helper()
	dns := resolvertest.New(t)
	asks, err := resolver.New(dns.Addr)
	if err != nil {
		t.Fatalf("resolver.New: got %v, want no error", err)
	}
	s := newTestServer(t, vaulttest.Options{Host: "hush.example", Resolver: asks}, nil)
	b, _ := s.signIn(t, false)
	client := s.domains(b)
	made, err := client.AddDomain(t.Context(), &hushv1.AddDomainRequest{Domain: "Secrets.Example.com"})
	if err != nil {
		t.Fatalf("AddDomain: got %v, want no error", err)
	}
	return s, client, made.GetDomain(), dns
}

func TestDomains(t *testing.T) {
	t.Parallel()
	s, client, domain, dns := newDomains(t)
	ctx, name := t.Context(), domain.GetDisplayDomain()
	if name != "secrets.example.com" || domain.GetCustid() != testAddress || domain.GetState() != hushv1.DomainState_DOMAIN_STATE_PENDING {
		t.Errorf("AddDomain: got %v, want a claim of the account", domain)
	}
	_, err := client.AddDomain(ctx, &hushv1.AddDomainRequest{Domain: name})
	if reasonOf(t, err) != hushv1.Refusal_REASON_DUPLICATE {
		t.Errorf("AddDomain again: got %v, want a duplicate", err)
	}
	missing, err := client.VerifyDomain(ctx, &hushv1.VerifyDomainRequest{Domain: name})
	if err != nil || missing.GetDomain().GetState() != hushv1.DomainState_DOMAIN_STATE_PENDING || len(missing.GetDomain().GetChecks()) != 2 {
		t.Errorf("VerifyDomain without the record: got %v %v, want two checks and a claim", missing, err)
	}
	public := s.domains(&browser{})
	_, err = public.GetPublicBrand(ctx, &hushv1.GetPublicBrandRequest{Domain: name})
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("GetPublicBrand of a claim: got %v, want not found", err)
	}
	dns.SetTXT(domain.GetTxtValidationHost()+"."+domain.GetBaseDomain(), domain.GetTxtValidationValue())
	verified, err := client.VerifyDomain(ctx, &hushv1.VerifyDomainRequest{Domain: domain.GetDomainId()})
	if err != nil || verified.GetDomain().GetState() != hushv1.DomainState_DOMAIN_STATE_VERIFIED {
		t.Fatalf("VerifyDomain: got %v %v, want it verified", verified, err)
	}
	shown, err := client.GetDomain(ctx, &hushv1.GetDomainRequest{Domain: name})
	if diff := cmp.Diff(verified.GetDomain(), shown.GetDomain(), protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("GetDomain: got %v and (-want +got):\n%s", err, diff)
	}
	list, err := client.ListDomains(ctx, &hushv1.ListDomainsRequest{})
	if err != nil || len(list.GetDomains()) != 1 {
		t.Errorf("ListDomains: got %v %v, want one", list, err)
	}
	if _, err := public.GetPublicBrand(ctx, &hushv1.GetPublicBrandRequest{Domain: name}); err != nil {
		t.Errorf("GetPublicBrand: got %v, want no error", err)
	}
	removed, err := client.RemoveDomain(ctx, &hushv1.RemoveDomainRequest{Domain: name})
	if err != nil || removed.GetDisplayDomain() != name {
		t.Errorf("RemoveDomain: got %v %v, want %s", removed, err, name)
	}
	_, err = client.GetDomain(ctx, &hushv1.GetDomainRequest{Domain: name})
	if reasonOf(t, err) != hushv1.Refusal_REASON_DOMAIN_NOT_FOUND {
		t.Errorf("GetDomain afterwards: got %v, want no such domain", err)
	}
}

// Fields that are not given stay, and unset ones are deleted.
func TestDomainBrand(t *testing.T) {
	t.Parallel()
	_, client, domain, _ := newDomains(t)
	name := domain.GetDisplayDomain()
	for _, step := range []struct {
		change *hushv1.Brand
		unset  []string
		want   *hushv1.Brand
	}{
		{&hushv1.Brand{PrimaryColor: new("#abc"), Locale: new("de")}, nil, &hushv1.Brand{PrimaryColor: new("#abc"), Locale: new("de")}},
		{
			&hushv1.Brand{ButtonTextLight: new(false)}, []string{"locale"},
			&hushv1.Brand{PrimaryColor: new("#abc"), ButtonTextLight: new(false)},
		},
	} {
		_, err := client.UpdateDomainBrand(t.Context(), &hushv1.UpdateDomainBrandRequest{Domain: name, Brand: step.change, Unset: step.unset})
		if err != nil {
			t.Fatalf("UpdateDomainBrand(%v): got %v, want no error", step.change, err)
		}
		res, err := client.GetDomainBrand(t.Context(), &hushv1.GetDomainBrandRequest{Domain: name})
		if diff := cmp.Diff(step.want, res.GetDomain().GetBrand(), protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("GetDomainBrand: got %v and (-want +got):\n%s", err, diff)
		}
	}
	_, err := client.UpdateDomainBrand(t.Context(), &hushv1.UpdateDomainBrandRequest{Domain: name, Brand: &hushv1.Brand{PrimaryColor: new("red")}})
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("UpdateDomainBrand(red): got %v, want an invalid argument", err)
	}
}

func TestDomainImages(t *testing.T) {
	t.Parallel()
	s, client, domain, dns := newDomains(t)
	ctx, name := t.Context(), domain.GetDisplayDomain()
	dns.SetTXT(domain.GetTxtValidationHost()+"."+domain.GetBaseDomain(), domain.GetTxtValidationValue())
	if _, err := client.VerifyDomain(ctx, &hushv1.VerifyDomainRequest{Domain: name}); err != nil {
		t.Fatalf("VerifyDomain: got %v, want no error", err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	icon := hushv1.ImageKind_IMAGE_KIND_ICON
	kept, err := client.UpdateDomainLogo(ctx, &hushv1.UpdateDomainLogoRequest{Domain: name, Kind: icon, Content: file.Bytes()})
	if err != nil || kept.GetImage().GetFilename() != "icon.png" || kept.GetImage().GetWidth() != 3 || kept.GetImage().GetHeight() != 2 {
		t.Fatalf("UpdateDomainLogo: got %v, want an icon of 3 by 2", err)
	}
	if shown := kept.GetDomain(); shown.GetIcon() == nil || len(shown.GetIcon().GetContent()) != 0 || shown.GetLogo() != nil {
		t.Errorf("UpdateDomainLogo: got the domain %v, want its icon without content and no logo", shown)
	}
	own, err := client.GetDomainLogo(ctx, &hushv1.GetDomainLogoRequest{Domain: name, Kind: icon})
	if err != nil {
		t.Fatalf("GetDomainLogo: got %v, want no error", err)
	}
	public, err := s.domains(&browser{}).GetPublicImage(ctx, &hushv1.GetPublicImageRequest{DomainId: domain.GetDomainId(), Kind: icon})
	if diff := cmp.Diff(own.GetImage(), public.GetImage(), protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("GetPublicImage: got %v and (-own +public):\n%s", err, diff)
	}
	if _, err := png.DecodeConfig(bytes.NewReader(public.GetImage().GetContent())); err != nil {
		t.Errorf("GetPublicImage: got a file of which DecodeConfig says %v, want a PNG", err)
	}
	brand, err := s.domains(&browser{}).GetPublicBrand(ctx, &hushv1.GetPublicBrandRequest{Domain: name})
	if err != nil || !brand.GetHasIcon() || brand.GetHasLogo() || brand.GetDomainId() != domain.GetDomainId() {
		t.Errorf("GetPublicBrand: got %v %v, want an icon and no logo", brand, err)
	}
	if _, err := client.DeleteDomainLogo(ctx, &hushv1.DeleteDomainLogoRequest{Domain: name, Kind: icon}); err != nil {
		t.Errorf("DeleteDomainLogo: got %v, want no error", err)
	}
	_, err = client.GetDomainLogo(ctx, &hushv1.GetDomainLogoRequest{Domain: name, Kind: icon})
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("GetDomainLogo afterwards: got %v, want not found", err)
	}
}
