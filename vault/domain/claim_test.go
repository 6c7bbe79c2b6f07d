package domain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/domain"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

func TestAddDomain(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, " Secrets.Example.COM. ")
	now := k.Clock.Now()
	expected := domain.Domain{
		ID: d.ID, Name: "secrets.example.com", Base: "example.com", Subdomain: "secrets.example.com", TRD: "secrets",
		TLD: "com", SLD: "example", TXTHost: "_onetime-challenge-" + d.ID[:7] + ".secrets", TXTValue: d.TXTValue,
		State: domain.DomainPending, Created: now, Updated: now, Address: "owner1@example.net",
	}
	if diff := cmp.Diff(expected, d); diff != "" {
		t.Errorf("AddDomain(secrets): -want +got\n%s", diff)
	}
	const hexadecimal = "0123456789abcdef"
	if len(d.ID) != 20 || strings.Trim(d.ID, hexadecimal) != "" || len(d.TXTValue) != 32 || strings.Trim(d.TXTValue, hexadecimal) != "" {
		t.Errorf("AddDomain(secrets): got id %q and value %q, want 20 and 32 hexadecimal digits", d.ID, d.TXTValue)
	}
	for _, name := range []string{"secrets.example.com", "SECRETS.example.com.", d.ID} {
		if diff := cmp.Diff(expected, k.get(t, c, name)); diff != "" {
			t.Errorf("GetDomain(%s): -want +got\n%s", name, diff)
		}
	}
	_, err := k.Vault.Domains.AddDomain(t.Context(), c, "secrets.EXAMPLE.com")
	vaulttest.WantErr(t, "AddDomain(the same)", err, refusal.ErrDuplicate)
	k.Clock.Advance(time.Second)
	apex := k.add(t, c, "example.com")
	vaulttest.Want(t, "apex.Apex", apex.Apex, true)
	vaulttest.Want(t, "apex.Subdomain", apex.Subdomain, "")
	vaulttest.Want(t, "apex.TXTHost", apex.TXTHost, "_onetime-challenge-"+apex.ID[:7])
	vaulttest.Want(t, "audited(AuditDomainAdded)", audited(t, k.Kit, audit.DomainAdded), 2)
	list, err := k.Vault.Domains.ListDomains(t.Context(), c)
	if diff := cmp.Diff([]domain.Domain{apex, d}, list); diff != "" || err != nil {
		t.Errorf("ListDomains(): got %v, -want +got\n%s", err, diff)
	}
}

// Every operation of an account's domains, with what it says to others.
func TestDomainAccess(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	owner, other := k.account(t), k.account(t)
	d := k.verified(t, owner, "secrets.example.com")
	v, ctx := k.Vault, t.Context()
	operations := map[string]func(c caller.Caller, name string) error{
		"GetDomain":    func(c caller.Caller, name string) error { _, err := v.Domains.GetDomain(ctx, c, name); return err },
		"RemoveDomain": func(c caller.Caller, name string) error { _, err := v.Domains.RemoveDomain(ctx, c, name); return err },
		"VerifyDomain": func(c caller.Caller, name string) error { _, err := v.Checks.VerifyDomain(ctx, c, name); return err },
		"UpdateDomainBrand": func(c caller.Caller, name string) error {
			_, err := v.Domains.UpdateDomainBrand(ctx, c, name, domain.Brand{}, nil)
			return err
		},
		"UpdateDomainLogo": func(c caller.Caller, name string) error {
			_, _, err := v.Domains.UpdateDomainLogo(ctx, c, name, domain.ImageLogo, nil)
			return err
		},
		"GetDomainLogo": func(c caller.Caller, name string) error {
			_, err := v.Domains.GetDomainLogo(ctx, c, name, domain.ImageLogo)
			return err
		},
		"DeleteDomainLogo": func(c caller.Caller, name string) error {
			_, err := v.Domains.DeleteDomainLogo(ctx, c, name, domain.ImageLogo)
			return err
		},
	}
	for operation, call := range operations {
		for _, name := range []string{d.Name, d.ID, "other.example.com", "", "not a name", strings.Repeat("0", 20)} {
			err := call(other, name)
			if domain, ok := errors.AsType[*refusal.DomainError](err); !ok || domain.Domain != name {
				t.Errorf("%s(other's %q): got %v, want %v", operation, name, err, refusal.ErrDomainNotFound)
			}
		}
		vaulttest.WantErr(t, operation+"(anonymous)", call(vaulttest.Caller(1), d.Name), refusal.ErrUnauthenticated)
	}
	_, err := v.Domains.AddDomain(ctx, vaulttest.Caller(1), "a.example.com")
	vaulttest.WantErr(t, "AddDomain(anonymous)", err, refusal.ErrUnauthenticated)
	_, err = v.Domains.ListDomains(ctx, vaulttest.Caller(1))
	vaulttest.WantErr(t, "ListDomains(anonymous)", err, refusal.ErrUnauthenticated)
	_, err = v.Domains.AddDomain(ctx, vaulttest.WithAccount(caller.Caller{}, "gone"), "a.example.com")
	vaulttest.WantErr(t, "AddDomain(an account that is gone)", err, refusal.ErrUnauthenticated)
	_, err = v.Domains.AddDomain(ctx, owner, "hush.example.org")
	vaulttest.WantErr(t, "AddDomain(own host)", err, refusal.ErrInvalid)
	list, err := v.Domains.ListDomains(ctx, other)
	if len(list) != 0 || err != nil {
		t.Errorf("ListDomains(other): got %d, %v, want none", len(list), err)
	}
}

func TestDomainLimit(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	for i := range domain.DomainLimit {
		k.add(t, c, fmt.Sprintf("d%d.example.com", i))
	}
	_, err := k.Vault.Domains.AddDomain(t.Context(), c, "more.example.com")
	if many, ok := errors.AsType[*refusal.TooManyError](err); !ok || many.What != "domains" || many.Limit != 100 {
		t.Errorf("AddDomain(the 101st): got %v, want %v", err, refusal.ErrTooMany)
	}
	k.add(t, k.account(t), "more.example.com")
	k.remove(t, c, "d7.example.com")
	k.add(t, c, "more.example.com")
}

// What is removed leaves nothing, and the next claim has to be proved afresh.
func TestRemoveDomain(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.verified(t, c, "secrets.example.com")
	if _, _, err := k.Vault.Domains.UpdateDomainLogo(t.Context(), c, d.Name, domain.ImageIcon, smallPNG(t)); err != nil {
		t.Fatalf("UpdateDomainLogo(icon): got %v, want nil", err)
	}
	k.remove(t, c, d.ID)
	for _, bucket := range []string{domain.BucketDomain, domain.BucketDomainID, domain.BucketVerified, domain.BucketRecheck, domain.BucketImage} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
	wantDomains(t, k, 0)
	vaulttest.Want(t, "audited(AuditDomainRemoved)", audited(t, k.Kit, audit.DomainRemoved), 1)
	again := k.add(t, c, d.Name)
	vaulttest.Want(t, "AddDomain(again).ID", again.ID, d.ID)
	if again.TXTValue == d.TXTValue {
		t.Error("AddDomain(again).TXTValue: got the old one, want another")
	}
	got := k.verify(t, c, d.Name, domain.DomainPending)
	vaulttest.Want(t, "Check.Problem", checkOf(t, got, domain.CheckTXT).Problem, "There are TXT records, but none has the expected value.")
}

// An account's domains end with it, and no others.
func TestEndDomains(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c, other := k.account(t), k.account(t)
	for i := range 5 {
		k.verified(t, c, fmt.Sprintf("d%d.example.com", i))
		k.add(t, c, fmt.Sprintf("p%d.example.com", i))
	}
	kept := k.verified(t, other, "kept.example.com")
	id := c.AccountID()
	if err := endDomains(t.Context(), k, id); err != nil {
		t.Fatalf("EndDomains(account): got %v, want nil", err)
	}
	for _, bucket := range []string{domain.BucketDomain, domain.BucketDomainID, domain.BucketVerified, domain.BucketRecheck} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 1)
	}
	wantDomains(t, k, 1)
	vaulttest.Want(t, "GetDomain(kept).State", k.get(t, other, kept.ID).State, domain.DomainVerified)
}

func wantDomains(t *testing.T, k *domainKit, count int64) {
	t.Helper()
	got, err := countedDomains(t.Context(), k)
	if got != count || err != nil {
		t.Errorf("CountedDomains(): got %d, %v, want %d", got, err, count)
	}
}

// endDomains releases all domains of an account.
func endDomains(ctx context.Context, k *domainKit, id caller.AccountID) error {
	return k.Store.Update(ctx, rows.Plain(func(tx *rows.Tx) error { return k.Vault.Domains.EndDomains(tx, id) }))
}

// countedDomains returns how many verified domains the vault has counted.
func countedDomains(ctx context.Context, k *domainKit) (n int64, err error) {
	err = k.Store.View(ctx, func(tx storage.Tx) error {
		c, err := counter.Get(tx)
		n = c[counter.Domains]
		return err
	})
	return n, err
}
