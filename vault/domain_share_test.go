package vault_test

import (
	"errors"
	"testing"

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
