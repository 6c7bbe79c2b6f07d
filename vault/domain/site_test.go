package domain_test

import (
	"errors"
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

const othersDomain = "drop.example.net"

// wantOn checks that a secret is there, or is as unknown as one that never was,
// for callers who come by a host, whatever they ask.
func (k *domainKit) wantOn(t *testing.T, host, key string, there bool) {
	t.Helper()
	c := vaulttest.Caller(7)
	c.Site = caller.Site{Host: host}
	_, err := k.Vault.Secrets.GetSecret(t.Context(), c, key)
	if there != (err == nil) || !there && !errors.Is(err, refusal.ErrNotFound) {
		t.Errorf("GetSecret on %q: got %v, want it there: %t", host, err, there)
	}
	found, err := k.Vault.Secrets.GetSecretStatus(t.Context(), c, []string{key})
	if err != nil || there != (found[0].State == receipt.StateNew) {
		t.Errorf("GetSecretStatus on %q: got %v, %v, want it there: %t", host, found, err, there)
	}
	if !there {
		_, err := k.Vault.Secrets.RevealSecret(t.Context(), c, key, secret.Opening{})
		vaulttest.WantErr(t, "RevealSecret on "+host, err, refusal.ErrNotFound)
	}
}

// The attack: a tenant verifies a domain of its own and points victims' links
// there, so that another tenant's secrets show under its name and brand. A
// domain shows what was made for it, and is like an empty service for the rest;
// what it refuses is still there on the sender's own.
func TestSecretsStayOnTheirDomain(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	ada, bob := k.account(t), k.account(t)
	k.verified(t, ada, claimed)
	k.verified(t, ada, "second.example.com")
	k.verified(t, bob, othersDomain)
	k.add(t, bob, "pending.example.net")
	visitor := func(host string) caller.Caller {
		c := vaulttest.Caller(7)
		c.Site = caller.Site{Host: host}
		return c
	}
	for _, of := range []struct {
		c    caller.Caller
		name string
	}{{ada, claimed}, {bob, othersDomain}} {
		_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), of.c, of.name, domain.Brand{AllowPublicAPI: new(true)}, nil)
		vaulttest.Want(t, "UpdateDomainBrand()", err, nil)
	}
	k.Clock.Advance(time.Second)
	bobOnAda := bob
	bobOnAda.Site = caller.Site{Host: claimed}
	conceal := func(c caller.Caller, domain string) string {
		t.Helper()
		kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "x", secret.Terms{ShareDomain: domain})
		if err != nil {
			t.Fatalf("ConcealSecret(%q): got %v, want nil", domain, err)
		}
		return kept.Secret.Key.Expose()
	}
	canonical := []string{"", ownHost, "HUSH.example.ORG", ownHost + ".", "127.0.0.1", "::1", "localhost", "pending.example.net", "unknown.example", "not a name"}
	for _, c := range []struct {
		name         string
		caller       caller.Caller
		domain       string
		there, where []string
	}{
		{"made for a domain", ada, claimed, []string{claimed, "SECRETS.example.com", claimed + "."}, []string{othersDomain, "second.example.com"}},
		{"of an account", ada, "", []string{claimed, "second.example.com"}, []string{othersDomain, "DROP.example.net."}},
		{"of no account", vaulttest.Caller(1), "", nil, []string{claimed, "second.example.com", othersDomain}},
		{"of a visitor", visitor("Secrets.example.com."), "", []string{claimed, "SECRETS.example.com"}, []string{"second.example.com", othersDomain}},
		{"of another account that visits", bobOnAda, "", []string{claimed}, []string{othersDomain, "second.example.com"}},
	} {
		key := conceal(c.caller, c.domain)
		for _, host := range append(canonical, c.there...) {
			k.wantOn(t, host, key, true)
		}
		for _, host := range c.where {
			k.wantOn(t, host, key, false)
		}
		on := append(c.there, ownHost)[0]
		shown := c.domain
		if c.caller.Site.Host != "" {
			shown = claimed
		}
		got, err := k.Vault.Secrets.RevealSecret(t.Context(), visitor(on), key, secret.Opening{})
		if err != nil || got.Value != "x" || got.Secret.ShareDomain != shown {
			t.Errorf("RevealSecret(%s) on %s: got %v, %v, want it on %q", c.name, on, got.Secret.ShareDomain, err, shown)
		}
	}
}

// A name that goes from one account to another takes no visitor's secret along: it
// was shared under the former one's brand. It stays on the service's own host.
func TestVisitorsSecretOfAFormerDomain(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	ada, bob := k.account(t), k.account(t)
	k.verified(t, ada, claimed)
	_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), ada, claimed, domain.Brand{AllowPublicAPI: new(true)}, nil)
	vaulttest.Want(t, "UpdateDomainBrand()", err, nil)
	k.Clock.Advance(time.Second)
	visitor := vaulttest.Caller(7)
	visitor.Site = caller.Site{Host: claimed}
	kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), visitor, "x", secret.Terms{})
	vaulttest.Want(t, "ConcealSecret()", err, nil)
	vaulttest.Want(t, "Secret.ShareDomain", kept.Secret.ShareDomain, "") // none was asked for
	vaulttest.Want(t, "Metadata.ShareDomain", kept.Metadata.ShareDomain, "")
	sealed, _ := k.MustConcealSealed(t, visitor, "x", "", secret.Terms{})
	vaulttest.Want(t, "Secret.ShareDomain of an end-to-end secret", sealed.Secret.ShareDomain, "")
	key := kept.Secret.Key.Expose()
	k.wantOn(t, claimed, key, true)
	k.remove(t, ada, claimed)
	k.Clock.Advance(time.Second)
	k.verified(t, bob, claimed)
	k.wantOn(t, claimed, key, false)
	k.wantOn(t, ownHost, key, true)
	shown, err := k.Vault.Receipts.GetMetadata(t.Context(), visitor, kept.Metadata.Key.Expose())
	if err != nil || shown.ShareDomain != "" {
		t.Errorf("GetMetadata: got %q, %v, want no domain", shown.ShareDomain, err)
	}
}

// A foreign domain learns nothing, and leaves no trace in the timeline.
func TestForeignDomainLeavesNoLook(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	ada, bob := k.account(t), k.account(t)
	k.verified(t, bob, othersDomain)
	kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), ada, "x", secret.Terms{Passphrase: "open sesame"})
	if err != nil {
		t.Fatalf("ConcealSecret: got %v, want nil", err)
	}
	visitor := vaulttest.Caller(7)
	visitor.Site = caller.Site{Host: othersDomain}
	_, err = k.Vault.Secrets.RevealSecret(t.Context(), visitor, kept.Secret.Key.Expose(), secret.Opening{Passphrase: "wrong"})
	vaulttest.WantErr(t, "RevealSecret(wrong passphrase, foreign domain)", err, refusal.ErrNotFound)
	k.wantOn(t, othersDomain, kept.Secret.Key.Expose(), false)
	m, err := k.Vault.Receipts.GetMetadata(t.Context(), ada, kept.Metadata.Key.Expose())
	if err != nil || len(m.Events) != 1 {
		t.Errorf("GetMetadata: got %v, %v, want no event but the creation", m.Events, err)
	}
}

// The attack: a tenant gives a domain up, or lets it lapse, and another account
// verifies the name. The new owner's brand must not be on the former one's
// secrets, nor the former one's links lead to what the new owner runs there.
func TestFormerDomainBrandsNothing(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	ada, bob := k.account(t), k.account(t)
	k.verified(t, ada, claimed)
	kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), ada, "x", secret.Terms{ShareDomain: claimed})
	if err != nil {
		t.Fatalf("ConcealSecret: got %v, want nil", err)
	}
	key, receiptKey := kept.Secret.Key.Expose(), kept.Metadata.Key.Expose()
	shown := func(want string) {
		t.Helper()
		s, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(7), key)
		m, wrong := k.Vault.Receipts.GetMetadata(t.Context(), ada, receiptKey)
		page, failed := k.Vault.Receipts.ListMetadata(t.Context(), ada, receipt.ListQuery{})
		if err = errors.Join(err, wrong, failed); err != nil || len(page.Metadata) != 1 {
			t.Fatalf("GetSecret, GetMetadata, ListMetadata: got %d receipts and %v, want one", len(page.Metadata), err)
		}
		for _, got := range []string{s.ShareDomain, m.ShareDomain, page.Metadata[0].ShareDomain} {
			if got != want {
				t.Errorf("ShareDomain: got %q, want %q", got, want)
			}
		}
	}
	shown(claimed)
	k.remove(t, ada, claimed)
	shown(claimed) // no other account's
	k.verified(t, bob, claimed)
	shown("")
	k.wantOn(t, claimed, key, false)
	got, err := k.Vault.Receipts.UpdateMemo(t.Context(), ada, receiptKey, "note")
	if err != nil || got.ShareDomain != "" {
		t.Errorf("UpdateMemo: got %q, %v, want no domain", got.ShareDomain, err)
	}
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(7), key, secret.Opening{})
	if err != nil || revealed.Secret.ShareDomain != "" {
		t.Errorf("RevealSecret: got %q, %v, want it without a domain", revealed.Secret.ShareDomain, err)
	}
}

// Images of an unproved name are visible to their account alone; otherwise
// every account could publish images under this service's address.
func TestImagesOfUnverifiedDomains(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	ada, bob := k.account(t), k.account(t)
	d := k.add(t, ada, claimed)
	for _, kind := range []domain.ImageKind{domain.ImageLogo, domain.ImageIcon} {
		if _, _, err := k.Vault.Domains.UpdateDomainLogo(t.Context(), ada, claimed, kind, smallPNG(t)); err != nil {
			t.Fatalf("UpdateDomainLogo(%d): got %v, want nil", kind, err)
		}
	}
	public := func(what string, want bool) {
		t.Helper()
		for _, kind := range []domain.ImageKind{domain.ImageLogo, domain.ImageIcon} {
			image, err := k.Vault.Domains.GetPublicImage(t.Context(), d.ID, kind)
			if want != (err == nil) || !want && (!errors.Is(err, refusal.ErrNotFound) || image.Content != nil) {
				t.Errorf("GetPublicImage(%s): got %d bytes, %v, want it public: %t", what, len(image.Content), err, want)
			}
			if own, err := k.Vault.Domains.GetDomainLogo(t.Context(), ada, claimed, kind); err != nil || len(own.Content) == 0 {
				t.Errorf("GetDomainLogo(%s): got %d bytes, %v, want the owner's picture", what, len(own.Content), err)
			}
			if _, err := k.Vault.Domains.GetDomainLogo(t.Context(), bob, d.ID, kind); err == nil {
				t.Error("GetDomainLogo(another's): got nil, want an error")
			}
		}
	}
	public("pending", false)
	k.publish(d)
	k.verify(t, ada, claimed, domain.DomainVerified)
	public("verified", true)
	k.lapse(t, ada, d)
	public("suspended", false)
	k.publish(d)
	k.verify(t, ada, claimed, domain.DomainVerified)
	public("verified again", true)
	k.lapse(t, ada, d)
	k.verified(t, bob, claimed)
	public("another account's now", false)
}
