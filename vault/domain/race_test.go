package domain_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// meddler is a store in which something else happens just before an update: the
// worst moment for what was looked up earlier and is relied on now.
type meddler struct {
	storage.Store
	meddle atomic.Pointer[func()]
}

// before arms the meddler for the next update. It is disarmed when that comes,
// so what meddles may update as well.
func (m *meddler) before(do func()) { m.meddle.Store(&do) }

func (m *meddler) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if do := m.meddle.Swap(nil); do != nil {
		(*do)()
	}
	return m.Store.Update(ctx, fn)
}

func (m *meddler) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return m.Update(ctx, fn)
}

func newMeddledKit(t *testing.T) (*domainKit, *meddler) {
	t.Helper()
	m := &meddler{}
	k := newDomainKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		m.Store = s
		return m
	}})
	return k, m
}

// meddled checks that a competitor came between, and how.
func (m *meddler) meddled(t *testing.T) {
	t.Helper()
	if m.meddle.Load() != nil {
		t.Error("Update: got none, want one that something comes before")
	}
}

// Two tabs add the same domain at once: one of them is told that it is there.
func TestAddDomainBesideItself(t *testing.T) {
	t.Parallel()
	k, m := newMeddledKit(t)
	c := k.account(t)
	var first domain.Domain
	m.before(func() { first = k.add(t, c, claimed) })
	_, err := k.Vault.Domains.AddDomain(t.Context(), c, claimed)
	vaulttest.WantErr(t, "AddDomain(added meanwhile)", err, refusal.ErrDuplicate)
	m.meddled(t)
	// The claim that was answered is the one that counts.
	vaulttest.Want(t, "TXTValue", k.get(t, c, claimed).TXTValue, first.TXTValue)
	vaulttest.Want(t, "rows of checks", len(vaulttest.RowsIn(t, k.Store, domain.BucketRecheck)), 1)
}

// The attack: many calls at once, each of which finds room for one more domain.
func TestAddDomainBesideTheLast(t *testing.T) {
	t.Parallel()
	k, m := newMeddledKit(t)
	c := k.account(t)
	for i := range domain.DomainLimit - 1 {
		k.add(t, c, fmt.Sprintf("d%d.example.com", i))
	}
	m.before(func() { k.add(t, c, "last.example.com") })
	_, err := k.Vault.Domains.AddDomain(t.Context(), c, "more.example.com")
	vaulttest.WantErr(t, "AddDomain(above the limit, filled meanwhile)", err, refusal.ErrTooMany)
	m.meddled(t)
	list, err := k.Vault.Domains.ListDomains(t.Context(), c)
	if len(list) != domain.DomainLimit || err != nil {
		t.Errorf("ListDomains: got %d, %v, want %d", len(list), err, domain.DomainLimit)
	}
}

// The attack: two accounts that both can set the record, as a former owner can,
// ask at once, and each finds the name free. One gets it, and the other is told.
func TestVerifyDomainBesideAnother(t *testing.T) {
	t.Parallel()
	k, m := newMeddledKit(t)
	ada, bob := k.account(t), k.account(t)
	of := map[string]domain.Domain{}
	for _, c := range []caller.Caller{ada, bob} {
		of[c.Account()] = k.add(t, c, claimed)
		k.publish(of[c.Account()])
	}
	m.before(func() { k.verify(t, ada, claimed, domain.DomainVerified) })
	_, err := k.Vault.Checks.VerifyDomain(t.Context(), bob, claimed)
	vaulttest.WantErr(t, "VerifyDomain(verified by another meanwhile)", err, refusal.ErrDuplicate)
	m.meddled(t)
	vaulttest.Want(t, "ada's state", k.get(t, ada, claimed).State, domain.DomainVerified)
	vaulttest.Want(t, "bob's state", k.get(t, bob, claimed).State, domain.DomainPending)
	vaulttest.Want(t, "bob's problem", checkOf(t, k.get(t, bob, claimed), domain.CheckTXT).Problem, "Another account has verified this name.")
	vaulttest.Want(t, "audited(AuditDomainVerified)", audited(t, k.Kit, audit.DomainVerified), 1)
	wantDomains(t, k, 1)
	brand, err := k.Vault.Domains.GetPublicBrand(t.Context(), claimed)
	if err != nil || brand.ID != of[ada.Account()].ID {
		t.Errorf("GetPublicBrand: got %q, %v, want ada's", brand.ID, err)
	}
}

// A claim is given up, and made again, while DNS is asked about it: what was
// found proves the old claim, and not the new one, whose value it does not have.
func TestVerifyDomainBesideItsEnd(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"given up": false, "claimed anew": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, m := newMeddledKit(t)
			c := k.account(t)
			k.publish(k.add(t, c, claimed))
			m.before(func() {
				k.remove(t, c, claimed)
				if again {
					k.add(t, c, claimed)
				}
			})
			_, err := k.Vault.Checks.VerifyDomain(t.Context(), c, claimed)
			vaulttest.WantErr(t, "VerifyDomain("+name+" meanwhile)", err, refusal.ErrDomainNotFound)
			m.meddled(t)
			vaulttest.Want(t, "rows of verified", len(vaulttest.RowsIn(t, k.Store, domain.BucketVerified)), 0)
			vaulttest.Want(t, "rows of domains", len(vaulttest.RowsIn(t, k.Store, domain.BucketDomain)), map[bool]int{true: 1}[again])
			if again {
				vaulttest.Want(t, "GetDomain.State", k.get(t, c, claimed).State, domain.DomainPending)
			}
			wantDomains(t, k, 0)
		})
	}
}

// A change to a domain that is given up meanwhile brings nothing of it back.
func TestChangeDomainBesideItsEnd(t *testing.T) {
	t.Parallel()
	k, m := newMeddledKit(t)
	c := k.account(t)
	for name, change := range map[string]func() error{
		"brand": func() error {
			_, err := k.Vault.Domains.UpdateDomainBrand(t.Context(), c, claimed, domain.Brand{PrimaryColor: new("#abc")}, nil)
			return err
		},
		"logo": func() error {
			_, _, err := k.Vault.Domains.UpdateDomainLogo(t.Context(), c, claimed, domain.ImageLogo, smallPNG(t))
			return err
		},
		"removal": func() error {
			_, err := k.Vault.Domains.RemoveDomain(t.Context(), c, claimed)
			return err
		},
	} {
		k.verified(t, c, claimed)
		m.before(func() { k.remove(t, c, claimed) })
		vaulttest.WantErr(t, name+" (given up meanwhile)", change(), refusal.ErrDomainNotFound)
		m.meddled(t)
		for _, bucket := range []string{domain.BucketDomain, domain.BucketVerified, domain.BucketImage, domain.BucketRecheck} {
			vaulttest.Want(t, name+": rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
		}
		wantDomains(t, k, 0)
	}
}
