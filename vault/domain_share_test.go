package vault_test

import (
	"errors"
	"testing"

	"hush/seal"
	"hush/vault"
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
		wish, want string
		refused    bool
	}{
		{"", "", false}, {" ", "", false}, {ownHost, "", false}, {"HUSH.Example.org.", "", false}, {"localhost", "", false}, {"co.uk", "", false},
		{claimed, claimed, false}, {" SECRETS.example.com. ", claimed, false}, {"Bücher.de", "xn--bcher-kva.de", false}, {"xn--bcher-kva.de", "xn--bcher-kva.de", false},
		{"pending.example.com", "", true}, {"other.example.com", "", true}, {"unknown.example.com", "", true},
		{"x.secrets.example.com", "", true}, {"example.com", "", true}, {"x." + ownHost, "", true},
	}
	for _, test := range tests {
		got, err := k.Vault.ConcealSecret(t.Context(), owner, "x", vault.Wish{ShareDomain: test.wish})
		if domain, ok := errors.AsType[*vault.DomainError](err); ok != test.refused || ok && domain.Domain != test.wish {
			t.Errorf("ConcealSecret(%q): got %v, want refused: %t", test.wish, err, test.refused)
		}
		want(t, "Secret.ShareDomain", got.Secret.ShareDomain, test.want)
	}
	_, err := k.Vault.ConcealSecret(t.Context(), vaulttest.Caller(1), "x", vault.Wish{ShareDomain: claimed})
	wantErr(t, "ConcealSecret(anonymous)", err, vault.ErrDomainNotFound)
}

// On somebody's domain those without an account share only as its owner lets
// them: on its pages, by calling the API, or both.
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
		c.Site = vault.Site{Host: host, Page: page}
		_, err := k.Vault.ConcealSecret(t.Context(), c, "x", vault.Wish{})
		_, _, again := k.Vault.GenerateSecret(t.Context(), c, 0, seal.CharacterSets{}, vault.Wish{})
		if refused := errors.Is(err, vault.ErrPolicy); refused == admitted || !refused && err != nil || errors.Is(again, vault.ErrPolicy) != refused {
			t.Errorf("ConcealSecret, GenerateSecret on %q, by a page: %t: got %v and %v, want it admitted: %t", host, page, err, again, admitted)
		}
	}
	for _, host := range []string{"", ownHost, "127.0.0.1", "::1", "localhost", "pending.example.com", "other.example.com", "not a name"} {
		visit(host, page, true)
		visit(host, script, true)
	}
	for _, brand := range []vault.Brand{
		{}, {AllowPublicHomepage: new(true)}, {AllowPublicHomepage: new(false), AllowPublicAPI: new(true)}, {AllowPublicHomepage: new(true)},
	} {
		now, err := k.Vault.UpdateDomainBrand(t.Context(), owner, claimed, brand, nil)
		if err != nil {
			t.Fatalf("UpdateDomainBrand(leave): got %v, want nil", err)
		}
		on := func(flag *bool) bool { return flag != nil && *flag }
		visit("Secrets.Example.com", page, on(now.Brand.AllowPublicHomepage))
		visit(claimed+".", script, on(now.Brand.AllowPublicAPI))
	}
	owner.Site = vault.Site{Host: claimed}
	_, err := k.Vault.UpdateDomainBrand(t.Context(), owner, claimed, vault.Brand{}, []string{"allow_public_api", "allow_public_homepage"})
	wantErr(t, "UpdateDomainBrand(no leave)", err, nil)
	_, err = k.Vault.ConcealSecret(t.Context(), owner, "x", vault.Wish{})
	wantErr(t, "ConcealSecret(owner)", err, nil)
}

// Anybody may see how a verified domain looks, and nothing else of it.
func TestPublicBrand(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	file := smallPNG(t)
	if _, err := k.Vault.UpdateDomainBrand(t.Context(), c, claimed, vault.Brand{PrimaryColor: new("#abc")}, nil); err != nil {
		t.Fatalf("UpdateDomainBrand(color): got %v, want nil", err)
	}
	if _, _, err := k.Vault.UpdateDomainLogo(t.Context(), c, claimed, vault.ImageLogo, file); err != nil {
		t.Fatalf("UpdateDomainLogo(logo): got %v, want nil", err)
	}
	for _, unknown := range []string{claimed, d.ID, "", "com", "not a name", "other.example.com"} {
		_, err := k.Vault.GetPublicBrand(t.Context(), unknown)
		wantErr(t, "GetPublicBrand("+unknown+")", err, vault.ErrNotFound)
	}
	k.publish(d)
	k.verify(t, c, claimed, vault.DomainVerified)
	got, err := k.Vault.GetPublicBrand(t.Context(), "Secrets.example.com.")
	if err != nil {
		t.Fatalf("GetPublicBrand(verified): got %v, want nil", err)
	}
	want(t, "PrimaryColor", *got.Brand.PrimaryColor, "#abc")
	want(t, "ID", got.ID, d.ID)
	want(t, "has a logo", got.Logo != nil, true)
	want(t, "has an icon", got.Icon != nil, false)
	want(t, "what is private", got.Address+got.TXTHost+got.TXTValue, "")
	want(t, "checks", len(got.Checks), 0)
	image, err := k.Vault.GetPublicImage(t.Context(), got.ID, vault.ImageLogo)
	if err != nil || len(image.Content) == 0 {
		t.Errorf("GetPublicImage(logo): got %d bytes, %v, want the image", len(image.Content), err)
	}
	for _, id := range []string{"", claimed, got.ID[:19], got.ID + "0", "00000000000000000000"} {
		_, err := k.Vault.GetPublicImage(t.Context(), id, vault.ImageLogo)
		wantErr(t, "GetPublicImage("+id+")", err, vault.ErrNotFound)
	}
	_, err = k.Vault.GetPublicImage(t.Context(), got.ID, vault.ImageIcon)
	wantErr(t, "GetPublicImage(icon)", err, vault.ErrNotFound)
}
