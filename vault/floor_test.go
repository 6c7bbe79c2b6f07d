package vault_test

import (
	"bytes"
	"image"
	"image/png"
	"sync/atomic"
	"testing"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// Whatever keeps something new honours the floor of the disk; whatever opens,
// reads or ends something goes on.
func TestFloorOfTheDisk(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	dns := resolvertest.New(t)
	r, err := resolver.New(dns.Addr)
	vaulttest.Want(t, "resolver.New(address)", err, nil)
	k := vaulttest.New(t, vaulttest.Options{
		Manual: true, Resolver: r, Host: "hush.example.org",
		HasDiskSpace: func() bool { return !full.Load() }, Policy: caller.Policy{SignUp: caller.SignUpOpen},
	})
	c := k.MustAccount(t, "owner@example.net")
	d := mustVerified(t, k, dns, c, "secrets.example.com")
	kept, burned := k.MustConceal(t, c, "text", secret.Terms{}), k.MustConceal(t, c, "text", secret.Terms{})
	full.Store(true)
	for name, keep := range map[string]func() error{
		"ConcealSecret": func() error {
			_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "text", secret.Terms{})
			return err
		},
		"GenerateSecret": func() error {
			_, _, err := k.Vault.Secrets.GenerateSecret(t.Context(), c, 0, secret.CharacterSets{}, secret.Terms{})
			return err
		},
		"UpdateMemo": func() error {
			_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "memo")
			return err
		},
		"ReceiveFeedback": func() error {
			return k.Vault.Inbox.ReceiveFeedback(t.Context(), c, feedback.NewFeedback{Message: "message"})
		},
		"ReceiveException": func() error {
			_, err := k.Vault.Inbox.ReceiveException(t.Context(), c, feedback.Exception{Message: "message"})
			return err
		},
		"UpdateDomainLogo": func() error {
			_, _, err := k.Vault.Domains.UpdateDomainLogo(t.Context(), c, d.Name, domain.ImageLogo, smallPicture(t))
			return err
		},
		"UpdateDomainBrand": func() error {
			_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), c, d.Name, domain.Brand{}, nil)
			return err
		},
		"AddDomain": func() error {
			_, err := k.Vault.Domains.AddDomain(t.Context(), c, "other.example.com")
			return err
		},
		"GenerateAPIToken": func() error {
			_, _, err := k.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "token"})
			return err
		},
		"CreateAccount": func() error {
			_, err := k.Vault.SignUps.CreateAccount(t.Context(), c, signup.NewAccount{Address: "new@example.com", Password: "a long password"})
			return err
		},
		"CreateInvite": func() error {
			_, err := k.Vault.SignUps.CreateInvite(t.Context(), withRole(caller.Caller{}, caller.AccountID{1}, true), "")
			return err
		},
	} {
		vaulttest.WantErr(t, name+"(no room)", keep(), refusal.ErrUnavailable)
	}
	_, err = k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "")
	vaulttest.Want(t, "UpdateMemo(none)", err, nil)
	vaulttest.Want(t, "RevealSecret(no room)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "text")
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

// mustVerified adds a domain, publishes its proof in DNS and verifies it.
func mustVerified(t *testing.T, k *vaulttest.Kit, dns *resolvertest.Server, c caller.Caller, name string) domain.Domain {
	t.Helper()
	d, err := k.Vault.Domains.AddDomain(t.Context(), c, name)
	vaulttest.Want(t, "AddDomain(name)", err, nil)
	dns.SetTXT(d.TXTHost+"."+d.Base, d.TXTValue)
	d, err = k.Vault.Checks.VerifyDomain(t.Context(), c, name)
	vaulttest.Want(t, "VerifyDomain(name)", err, nil)
	vaulttest.Want(t, "VerifyDomain(name).State", d.State, domain.DomainVerified)
	return d
}
