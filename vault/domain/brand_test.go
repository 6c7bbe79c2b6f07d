package domain_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/domain"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

func smallPNG(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatalf("png.Encode(image): got %v, want nil", err)
	}
	return file.Bytes()
}

func TestUpdateDomainBrand(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	k.Clock.Advance(time.Hour)
	update := func(change domain.Brand, unset []string, expected domain.Brand) {
		t.Helper()
		got, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), c, d.ID, change, unset)
		if err != nil {
			t.Fatalf("UpdateDomainBrand(change): got %v, want nil", err)
		}
		if diff := cmp.Diff(expected, got.Brand); diff != "" {
			t.Errorf("UpdateDomainBrand(change): -want +got\n%s", diff)
		}
		if diff := cmp.Diff(got, k.get(t, c, claimed)); diff != "" {
			t.Errorf("GetDomain(): -updated +got\n%s", diff)
		}
		vaulttest.Want(t, "Domain.Updated", got.Updated, k.Clock.Now())
	}
	update(domain.Brand{FontFamily: new("monospace"), ButtonTextLight: new(true)}, nil, domain.Brand{FontFamily: new("mono"), ButtonTextLight: new(true)})
	update(domain.Brand{CornerStyle: new("pill")}, []string{"button_text_light"}, domain.Brand{FontFamily: new("mono"), CornerStyle: new("pill")})
	update(domain.Brand{CornerStyle: new("square")}, []string{"corner_style"}, domain.Brand{FontFamily: new("mono"), CornerStyle: new("square")})
	for _, change := range []domain.Brand{{PrimaryColor: new("#abc\n")}, {FontFamily: new("")}} {
		_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), c, claimed, change, nil)
		vaulttest.WantErr(t, "UpdateDomainBrand(bad value)", err, refusal.ErrInvalid)
	}
	_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), c, claimed, domain.Brand{Locale: new("de")}, []string{"logo"})
	vaulttest.WantErr(t, "UpdateDomainBrand(unset logo)", err, refusal.ErrInvalid)
	update(domain.Brand{}, nil, domain.Brand{FontFamily: new("mono"), CornerStyle: new("square")})
}

func TestDomainImages(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	_, err := k.Vault.Domains.GetDomainLogo(t.Context(), c, claimed, domain.ImageLogo)
	vaulttest.WantErr(t, "GetDomainLogo(none)", err, refusal.ErrNotFound)
	_, err = k.Vault.Domains.DeleteDomainLogo(t.Context(), c, claimed, domain.ImageLogo)
	vaulttest.WantErr(t, "DeleteDomainLogo(none)", err, refusal.ErrNotFound)
	k.Clock.Advance(time.Hour)
	shown, kept, err := k.Vault.Domains.UpdateDomainLogo(t.Context(), c, claimed, domain.ImageLogo, smallPNG(t))
	if err != nil {
		t.Fatalf("UpdateDomainLogo(logo): got %v, want nil", err)
	}
	stored, err := k.Vault.Domains.GetDomainLogo(t.Context(), c, d.ID, domain.ImageLogo)
	if diff := cmp.Diff(kept, stored); diff != "" || err != nil {
		t.Errorf("GetDomainLogo(logo): got %v, -kept +got\n%s", err, diff)
	}
	vaulttest.Want(t, "Image.Width", stored.Width, 40)
	vaulttest.Want(t, "Image.Height", stored.Height, 20)
	vaulttest.Want(t, "Image.Size", stored.Size, int64(len(stored.Content)))
	vaulttest.Want(t, "Image.Updated", stored.Updated, k.Clock.Now())
	expected := stored
	expected.Content = nil
	if diff := cmp.Diff(&expected, shown.Logo); diff != "" {
		t.Errorf("Domain.Logo: -want +got\n%s", diff)
	}
	vaulttest.Want(t, "Domain.Icon", shown.Icon, nil)
	for _, kind := range []domain.ImageKind{0, 3} {
		_, _, err = k.Vault.Domains.UpdateDomainLogo(t.Context(), c, claimed, kind, smallPNG(t))
		vaulttest.WantErr(t, "UpdateDomainLogo(no such kind)", err, refusal.ErrInvalid)
		_, err = k.Vault.Domains.DeleteDomainLogo(t.Context(), c, claimed, kind)
		vaulttest.WantErr(t, "DeleteDomainLogo(no such kind)", err, refusal.ErrInvalid)
	}
	_, _, err = k.Vault.Domains.UpdateDomainLogo(t.Context(), c, claimed, domain.ImageLogo, []byte("<svg/>"))
	vaulttest.WantErr(t, "UpdateDomainLogo(svg)", err, refusal.ErrInvalid)
	_, _, err = k.Vault.Domains.UpdateDomainLogo(t.Context(), c, claimed, domain.ImageLogo, make([]byte, domain.ImageSize+1))
	vaulttest.WantErr(t, "UpdateDomainLogo(too large)", err, refusal.ErrTooLarge)
	gone, err := k.Vault.Domains.DeleteDomainLogo(t.Context(), c, claimed, domain.ImageLogo)
	if gone.Logo != nil || err != nil {
		t.Errorf("DeleteDomainLogo(logo): got %v, %v, want none", gone.Logo, err)
	}
	vaulttest.Want(t, "rows of images", len(vaulttest.RowsIn(t, k.Store, domain.BucketImage)), 0)
}
