package vault_test

import (
	"bytes"
	"image"
	"image/png"
	"sync/atomic"
	"testing"

	"hush/vault"
	"hush/vault/vaulttest"
)

// Whatever keeps something new honours the floor of the disk; whatever opens,
// reads or ends something goes on.
func TestFloorOfTheDisk(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	k := newDomainKit(t, vaulttest.Options{
		HasRoom: func() bool { return !full.Load() }, Policy: vault.Policy{SignUp: vault.SignUpOpen},
	})
	c := k.account(t)
	d := k.verified(t, c, "secrets.example.com")
	kept, burned := k.MustConceal(t, c, "text", vault.Wish{}), k.MustConceal(t, c, "text", vault.Wish{})
	full.Store(true)
	for name, keep := range map[string]func() error{
		"ConcealSecret": func() error {
			_, err := k.Vault.ConcealSecret(t.Context(), c, "text", vault.Wish{})
			return err
		},
		"GenerateSecret": func() error {
			_, _, err := k.Vault.GenerateSecret(t.Context(), c, 0, vault.CharacterSets{}, vault.Wish{})
			return err
		},
		"UpdateMemo": func() error {
			_, err := k.Vault.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "memo")
			return err
		},
		"ReceiveFeedback": func() error {
			return k.Vault.ReceiveFeedback(t.Context(), c, vault.NewFeedback{Message: "message"})
		},
		"ReceiveException": func() error {
			_, err := k.Vault.ReceiveException(t.Context(), c, vault.Exception{Message: "message"})
			return err
		},
		"UpdateDomainLogo": func() error {
			_, _, err := k.Vault.UpdateDomainLogo(t.Context(), c, d.Name, vault.ImageLogo, smallPicture(t))
			return err
		},
		"UpdateDomainBrand": func() error {
			_, err := k.Vault.UpdateDomainBrand(t.Context(), c, d.Name, vault.Brand{}, nil)
			return err
		},
		"AddDomain": func() error {
			_, err := k.Vault.AddDomain(t.Context(), c, "other.example.com")
			return err
		},
		"GenerateAPIToken": func() error {
			_, _, err := k.Vault.GenerateAPIToken(t.Context(), c, vault.NewToken{Name: "token"})
			return err
		},
		"CreateAccount": func() error {
			_, err := k.Vault.CreateAccount(t.Context(), c, vault.NewAccount{Address: "new@example.com", Password: "a long password"})
			return err
		},
		"CreateInvite": func() error {
			_, err := k.Vault.CreateInvite(t.Context(), vault.WithRole(vault.Caller{}, vault.AccountID{1}, true), "")
			return err
		},
	} {
		wantErr(t, name+"(no room)", keep(), vault.ErrUnavailable)
	}
	_, err := k.Vault.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "")
	want(t, "UpdateMemo(none)", err, nil)
	want(t, "RevealSecret(no room)", k.MustReveal(t, vault.Caller{}, kept.Secret.Key, ""), "text")
	k.MustBurn(t, c, burned.Metadata.Key, "")
	k.MustSweep(t)
}

// smallPicture is a PNG file.
func smallPicture(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatalf("png.Encode: got %v, want nil", err)
	}
	return file.Bytes()
}
