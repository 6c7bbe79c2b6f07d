package domain_test

import (
	"errors"
	"testing"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// A link may be made on a verified domain of one's own, and on no other.
func TestShareOnDomain(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	owner, other := k.account(t), k.account(t)
	k.verified(t, owner, claimed)
	k.verified(t, owner, "bücher.de")
	k.add(t, owner, "pending.example.com")
	k.verified(t, other, "other.example.com")
	tests := []struct {
		requested, want string
		refused         bool
	}{
		{"", "", false}, {" ", "", false}, {ownHost, "", false}, {"HUSH.Example.org.", "", false}, {"localhost", "", false}, {"co.uk", "", false},
		{claimed, claimed, false}, {" SECRETS.example.com. ", claimed, false}, {"Bücher.de", "xn--bcher-kva.de", false}, {"xn--bcher-kva.de", "xn--bcher-kva.de", false},
		{"pending.example.com", "", true}, {"other.example.com", "", true}, {"unknown.example.com", "", true},
		{"x.secrets.example.com", "", true}, {"example.com", "", true}, {"x." + ownHost, "", true},
	}
	for _, test := range tests {
		got, err := k.Vault.Secrets.ConcealSecret(t.Context(), owner, "x", secret.Terms{ShareDomain: test.requested})
		if domain, ok := errors.AsType[*refusal.DomainError](err); ok != test.refused || ok && domain.Domain != test.requested {
			t.Errorf("ConcealSecret(%q): got %v, want refused: %t", test.requested, err, test.refused)
		}
		vaulttest.Want(t, "Secret.ShareDomain", got.Secret.ShareDomain, test.want)
	}
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "x", secret.Terms{ShareDomain: claimed})
	vaulttest.WantErr(t, "ConcealSecret(anonymous)", err, refusal.ErrDomainNotFound)
}

// On a custom domain, anonymous callers share only as its owner allows: on its
// pages, through the API, or both.
func TestVisitorsTakeLeave(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	owner := k.account(t)
	k.verified(t, owner, claimed)
	k.add(t, owner, "pending.example.com")
	const page, script = true, false
	visit := func(host string, page bool, admitted bool) {
		t.Helper()
		c := vaulttest.Caller(1)
		c.Site = caller.Site{Host: host, Page: page}
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "x", secret.Terms{})
		_, _, again := k.Vault.Secrets.GenerateSecret(t.Context(), c, 0, seal.CharacterSets{}, secret.Terms{})
		if refused := errors.Is(err, refusal.ErrPolicy); refused == admitted || !refused && err != nil || errors.Is(again, refusal.ErrPolicy) != refused {
			t.Errorf("ConcealSecret, GenerateSecret on %q, by a page: %t: got %v and %v, want it admitted: %t", host, page, err, again, admitted)
		}
	}
	for _, host := range []string{"", ownHost, "127.0.0.1", "::1", "localhost", "pending.example.com", "other.example.com", "not a name"} {
		visit(host, page, true)
		visit(host, script, true)
	}
	for _, brand := range []domain.Brand{
		{}, {AllowPublicHomepage: new(true)}, {AllowPublicHomepage: new(false), AllowPublicAPI: new(true)}, {AllowPublicHomepage: new(true)},
	} {
		now, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), owner, claimed, brand, nil)
		if err != nil {
			t.Fatalf("UpdateDomainBrand(leave): got %v, want nil", err)
		}
		on := func(flag *bool) bool { return flag != nil && *flag }
		visit("Secrets.Example.com", page, on(now.Brand.AllowPublicHomepage))
		visit(claimed+".", script, on(now.Brand.AllowPublicAPI))
	}
	owner.Site = caller.Site{Host: claimed}
	_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), owner, claimed, domain.Brand{}, []string{"allow_public_api", "allow_public_homepage"})
	vaulttest.WantErr(t, "UpdateDomainBrand(no leave)", err, nil)
	_, err = k.Vault.Secrets.ConcealSecret(t.Context(), owner, "x", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(owner)", err, nil)
}

// Every caller may see how a verified domain looks, and nothing else of it.
func TestPublicBrand(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	file := smallPNG(t)
	if _, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), c, claimed, domain.Brand{PrimaryColor: new("#abc")}, nil); err != nil {
		t.Fatalf("UpdateDomainBrand(color): got %v, want nil", err)
	}
	if _, _, err := k.Vault.Domains.UpdateDomainLogo(t.Context(), c, claimed, domain.ImageLogo, file); err != nil {
		t.Fatalf("UpdateDomainLogo(logo): got %v, want nil", err)
	}
	for _, unknown := range []string{claimed, d.ID, "", "com", "not a name", "other.example.com"} {
		_, err := k.Vault.Domains.GetPublicBrand(t.Context(), unknown)
		vaulttest.WantErr(t, "GetPublicBrand("+unknown+")", err, refusal.ErrNotFound)
	}
	k.publish(d)
	k.verify(t, c, claimed, domain.DomainVerified)
	got, err := k.Vault.Domains.GetPublicBrand(t.Context(), "Secrets.example.com.")
	if err != nil {
		t.Fatalf("GetPublicBrand(verified): got %v, want nil", err)
	}
	vaulttest.Want(t, "PrimaryColor", *got.Brand.PrimaryColor, "#abc")
	vaulttest.Want(t, "ID", got.ID, d.ID)
	vaulttest.Want(t, "has a logo", got.Logo != nil, true)
	vaulttest.Want(t, "has an icon", got.Icon != nil, false)
	vaulttest.Want(t, "what is private", got.Address+got.TXTHost+got.TXTValue, "")
	vaulttest.Want(t, "checks", len(got.Checks), 0)
	image, err := k.Vault.Domains.GetPublicImage(t.Context(), got.ID, domain.ImageLogo)
	if err != nil || len(image.Content) == 0 {
		t.Errorf("GetPublicImage(logo): got %d bytes, %v, want the image", len(image.Content), err)
	}
	for _, id := range []string{"", claimed, got.ID[:19], got.ID + "0", "00000000000000000000"} {
		_, err := k.Vault.Domains.GetPublicImage(t.Context(), id, domain.ImageLogo)
		vaulttest.WantErr(t, "GetPublicImage("+id+")", err, refusal.ErrNotFound)
	}
	_, err = k.Vault.Domains.GetPublicImage(t.Context(), got.ID, domain.ImageIcon)
	vaulttest.WantErr(t, "GetPublicImage(icon)", err, refusal.ErrNotFound)
}
