package domain_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/domain"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

const day = 24 * time.Hour

// A claim is checked often at first, then seldom, and after seven days no more,
// until its account asks again.
func TestRecheckPending(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	vaulttest.Want(t, "checks at once", k.recheck(t), 0)
	k.Clock.Advance(time.Minute)
	vaulttest.Want(t, "checks after a minute", k.recheck(t), 1)
	vaulttest.Want(t, "checks at the same moment", k.recheck(t), 0)
	hour := k.pass(t, time.Hour, time.Minute)
	if hour < 3 || hour > 6 {
		t.Errorf("checks in the first hour: got %d, want about 5", hour)
	}
	if week := k.pass(t, 7*day, 10*time.Minute); week < 30 || week > 60 {
		t.Errorf("checks in the week: got %d, want one each four hours", week)
	}
	vaulttest.Want(t, "rows of the index", len(vaulttest.RowsIn(t, k.Store, domain.BucketRecheck)), 0)
	k.publish(d)
	vaulttest.Want(t, "checks after the week", k.pass(t, 3*day, time.Hour), 0)
	vaulttest.Want(t, "GetDomain().State", k.get(t, c, claimed).State, domain.DomainPending)
	k.DNS.Delete(txtName(d))
	k.verify(t, c, claimed, domain.DomainPending)
	k.publish(d)
	k.pass(t, 10*time.Minute, time.Minute)
	got := k.get(t, c, claimed)
	vaulttest.Want(t, "GetDomain(asked again).State", got.State, domain.DomainVerified)
	vaulttest.Want(t, "GetDomain(asked again).TXTValue", got.TXTValue, d.TXTValue)
}

// A verified domain is checked once a day or so, and not at the same moment as
// its neighbours.
func TestRecheckVerified(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	const domains = 20
	for i := range domains {
		k.verified(t, c, fmt.Sprintf("d%d.example.com", i))
	}
	vaulttest.Want(t, "checks in 21 hours", k.pass(t, 21*time.Hour, time.Hour), 0)
	moments := 0
	for range 60 {
		if k.pass(t, 6*time.Minute, 6*time.Minute) > 0 {
			moments++
		}
	}
	if moments < 5 {
		t.Errorf("moments of the daily checks: got %d, want them apart", moments)
	}
	for i := range domains {
		vaulttest.Want(t, "GetDomain().State", k.get(t, c, fmt.Sprintf("d%d.example.com", i)).State, domain.DomainVerified)
	}
	wantDomains(t, k, domains)
}

// A round checks sixteen, and leaves the others to the next.
func TestRecheckBatch(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	for i := range 20 {
		k.add(t, c, fmt.Sprintf("d%d.example.com", i))
	}
	k.Clock.Advance(time.Minute)
	for _, expected := range []int{16, 4, 0} {
		n, err := k.Vault.Checks.Recheck(t.Context())
		if n != expected || err != nil {
			t.Errorf("Recheck(): got %d, %v, want %d", n, err, expected)
		}
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	k.Clock.Advance(time.Hour)
	if _, err := k.Vault.Checks.Recheck(left); err == nil {
		t.Error("Recheck(ended): got nil, want an error")
	}
	vaulttest.Want(t, "GetDomain().State", k.get(t, c, "d1.example.com").State, domain.DomainPending)
}

// A row of the index without a domain, and a domain that cannot be read, do not
// hold up other checks.
func TestRecheckDamage(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	k.add(t, c, "damaged.example.com")
	d := k.add(t, c, claimed)
	k.publish(d)
	id := c.AccountID()
	vaulttest.Put(t, k.Store, domain.BucketDomain, append(id[:], "damaged.example.com"...), []byte{9})
	for _, key := range []string{"\x00\x00\x00\x00\x00\x00\x00\x01", "\x00\x00\x00\x00\x00\x00\x00\x01short", "\x00\x00\x00\x00\x00\x00\x00\x01" + string(id[:]) + "gone.example.com", "\x00\x00\x00\x00\x00\x00\x00\x01" + string(id[:]) + claimed} {
		vaulttest.Put(t, k.Store, domain.BucketRecheck, []byte(key), []byte{})
	}
	k.Clock.Advance(time.Minute)
	vaulttest.Want(t, "Recheck()", k.recheck(t), 6)
	vaulttest.Want(t, "GetDomain().State", k.get(t, c, claimed).State, domain.DomainVerified)
	vaulttest.Want(t, "rows of the index", len(vaulttest.RowsIn(t, k.Store, domain.BucketRecheck)), 2)

	// A damaged account is no reason either, though it cannot be told.
	other := k.account(t)
	second := k.verified(t, other, "second.example.com")
	otherID := other.AccountID()
	vaulttest.Put(t, k.Store, account.BucketAccount, otherID[:], []byte{9})
	k.DNS.Delete(txtName(second))
	k.pass(t, 10*day, 4*time.Hour)
	vaulttest.Want(t, "GetDomain().State", k.get(t, c, claimed).State, domain.DomainVerified)
	vaulttest.Want(t, "GetDomain().Checked on the last day", k.Clock.Now().Sub(k.get(t, c, claimed).Checked) < 30*time.Hour, true)
	vaulttest.Want(t, "GetDomain(damaged account).State", k.get(t, other, second.Name).State, domain.DomainVerified)
}

// A domain lapses, and another owner registers it. Its secrets are locked, not
// consumed, and come back with the proof.
func TestDomainLapse(t *testing.T) {
	t.Parallel()
	mails := &postbox{}
	k := newDomainKit(t, vaulttest.Options{Send: mails.send})
	c := k.account(t)
	d := k.verified(t, c, claimed)
	month := 30 * day
	made := k.MustConceal(t, c, "the text", secret.Terms{ShareDomain: "Secrets.Example.com.", TTL: &month})
	vaulttest.Want(t, "Secret.ShareDomain", made.Secret.ShareDomain, claimed)

	k.DNS.Delete(txtName(d))
	k.pass(t, 6*day, 4*time.Hour)
	vaulttest.Want(t, "GetDomain(after six days).State", k.get(t, c, claimed).State, domain.DomainVerified)
	for range 18 {
		k.pass(t, 4*time.Hour, 4*time.Hour)
		if _, err := k.Vault.Outbox.PostDue(t.Context()); err != nil {
			t.Fatalf("PostDue(): got %v, want nil", err)
		}
	}
	got := k.get(t, c, claimed)
	vaulttest.Want(t, "GetDomain(after nine days).State", got.State, domain.DomainSuspended)
	vaulttest.Want(t, "mails about it", mails.count(outbox.MailSuspended, claimed), 1)
	vaulttest.Want(t, "Domain.Verified", got.Verified, d.Verified)
	vaulttest.Want(t, "audited(AuditDomainSuspended)", audited(t, k.Kit, audit.DomainSuspended), 1)
	wantDomains(t, k, 0)

	vaulttest.WantErr(t, "RevealSecret(suspended)", vaulttest.RevealErr(t, k.Kit, vaulttest.Caller(2), made.Secret.Key.Expose(), ""), refusal.ErrDomainSuspended)
	kept, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(2), made.Secret.Key.Expose())
	if err != nil || kept.State != receipt.StateNew {
		t.Errorf("GetSecret(suspended): got %v, %v, want it to wait", kept.State, err)
	}
	_, err = k.Vault.Secrets.ConcealSecret(t.Context(), c, "x", secret.Terms{ShareDomain: claimed})
	vaulttest.WantErr(t, "ConcealSecret(suspended)", err, refusal.ErrDomainNotFound)
	_, err = k.Vault.Domains.GetPublicBrand(t.Context(), claimed)
	vaulttest.WantErr(t, "GetPublicBrand(suspended)", err, refusal.ErrNotFound)

	k.publish(d)
	k.pass(t, 27*time.Hour, time.Hour)
	vaulttest.Want(t, "GetDomain(back).State", k.get(t, c, claimed).State, domain.DomainVerified)
	vaulttest.Want(t, "RevealSecret(back)", k.MustReveal(t, vaulttest.Caller(2), made.Secret.Key, ""), "the text")
	wantDomains(t, k, 1)
}

// DNS servers of a domain, or those on the way to them, do not answer for weeks. That
// is no proof that the record is gone. An answer without it is.
func TestUnansweredChecksSuspendNothing(t *testing.T) {
	t.Parallel()
	silent := &silentResolver{}
	k := newDomainKitOn(t, vaulttest.Options{}, func(r domain.Resolver) domain.Resolver { silent.Resolver = r; return silent })
	c := k.account(t)
	d := k.verified(t, c, claimed)
	silent.silent = true
	k.pass(t, 15*day, 4*time.Hour)
	got := k.get(t, c, claimed)
	vaulttest.Want(t, "GetDomain(after 15 days of silence).State", got.State, domain.DomainVerified)
	vaulttest.Want(t, "Check.Problem", checkOf(t, got, domain.CheckTXT).Problem, "DNS did not answer in time.")
	silent.silent = false
	k.DNS.Delete(txtName(d))
	k.pass(t, 9*day, 4*time.Hour)
	vaulttest.Want(t, "GetDomain(after nine days without the record).State", k.get(t, c, claimed).State, domain.DomainSuspended)
}

// silentResolver gets no answers while it is silent.
type silentResolver struct {
	domain.Resolver
	silent bool
}

func (r *silentResolver) TXT(ctx context.Context, name string) ([]string, string, error) {
	if r.silent {
		return nil, "", context.DeadlineExceeded
	}
	return r.Resolver.TXT(ctx, name)
}

// The attack: a name server answers with one alias for IPv4, into a private network, and
// with another for IPv6, within the domain.
func TestAliasesOfOneKindShowNothingFromOutside(t *testing.T) {
	t.Parallel()
	forked := &forkedResolver{}
	k := newDomainKitOn(t, vaulttest.Options{}, func(r domain.Resolver) domain.Resolver { forked.Resolver = r; return forked })
	c := k.account(t)
	k.add(t, c, claimed)
	for _, at := range [][]string{{"db.corp.internal", "x." + claimed}, {"x." + claimed, "db.corp.internal"}} {
		forked.at = at
		check := checkOf(t, k.verify(t, c, claimed, domain.DomainPending), domain.CheckAddress)
		if check.Problem != outsideAddress || len(check.Found) != 0 {
			t.Errorf("VerifyDomain(%v): got %q and %v, want nothing shown", at, check.Problem, check.Found)
		}
	}
}

// forkedResolver leads to one address, held by given names.
type forkedResolver struct {
	domain.Resolver
	at []string
}

func (r *forkedResolver) Addresses(ctx context.Context, name string) ([]netip.Addr, []string, error) {
	if name != claimed {
		return r.Resolver.Addresses(ctx, name)
	}
	return []netip.Addr{netip.MustParseAddr("192.0.2.99")}, r.at, nil
}

// One good check in between, and the seven days begin again.
func TestDomainFlips(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.verified(t, c, claimed)
	for i := range 4 {
		k.DNS.Delete(txtName(d))
		k.pass(t, 6*day, 4*time.Hour)
		k.publish(d)
		if i%2 == 0 {
			k.verify(t, c, claimed, domain.DomainVerified)
		} else {
			k.pass(t, 8*time.Hour, time.Hour)
		}
		vaulttest.Want(t, "GetDomain(flip).State", k.get(t, c, claimed).State, domain.DomainVerified)
	}
	vaulttest.Want(t, "audited(AuditDomainVerified)", audited(t, k.Kit, audit.DomainVerified), 1)
	vaulttest.Want(t, "audited(AuditDomainSuspended)", audited(t, k.Kit, audit.DomainSuspended), 0)
}

// A server that was off for weeks does not take its own absence for the
// domain's.
func TestRecheckAfterAbsence(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.verified(t, c, claimed)
	k.DNS.Refuse(txtName(d))
	k.Clock.Advance(20 * day)
	vaulttest.Want(t, "Recheck()", k.recheck(t), 1)
	vaulttest.Want(t, "GetDomain().State", k.get(t, c, claimed).State, domain.DomainVerified)
}

// The new owner of a lapsed name verifies it, and keeps it.
func TestDomainTakeover(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	old, next := k.account(t), k.account(t)
	first := k.verified(t, old, claimed)
	second := k.add(t, next, claimed) // an unproved claim blocks no one, a proved one does
	k.publish(second)
	_, err := k.Vault.Checks.VerifyDomain(t.Context(), next, claimed)
	vaulttest.WantErr(t, "VerifyDomain(second)", err, refusal.ErrDuplicate)
	k.lapse(t, old, first)
	k.verify(t, next, claimed, domain.DomainVerified)
	k.publish(first)
	_, err = k.Vault.Checks.VerifyDomain(t.Context(), old, claimed)
	vaulttest.WantErr(t, "VerifyDomain(first, again)", err, refusal.ErrDuplicate)
	k.pass(t, 2*day, 4*time.Hour)
	vaulttest.Want(t, "GetDomain(first).State", k.get(t, old, claimed).State, domain.DomainSuspended)
	vaulttest.Want(t, "GetDomain(second).State", k.get(t, next, claimed).State, domain.DomainVerified)
	wantDomains(t, k, 1)
	k.remove(t, old, claimed) // takes nothing from the other
	wantDomains(t, k, 1)
	public, err := k.Vault.Domains.GetPublicBrand(t.Context(), claimed)
	vaulttest.Want(t, "GetPublicBrand().ID", public.ID, second.ID)
	vaulttest.WantErr(t, "GetPublicBrand()", err, nil)
	k.remove(t, next, claimed)
	k.verified(t, old, claimed)
}

// A domain that was given up locks nothing.
func TestRemovedDomainLocksNothing(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c, other := k.account(t), k.account(t)
	d := k.verified(t, c, claimed)
	month := 30 * day
	first := k.MustConceal(t, c, "first", secret.Terms{ShareDomain: claimed, TTL: &month})
	k.lapse(t, c, d)
	k.remove(t, c, claimed)
	vaulttest.Want(t, "RevealSecret(given up)", k.MustReveal(t, vaulttest.Caller(2), first.Secret.Key, ""), "first")
	again := k.verified(t, other, claimed)
	second := k.MustConceal(t, other, "second", secret.Terms{ShareDomain: again.Name})
	vaulttest.Want(t, "RevealSecret(another's)", k.MustReveal(t, vaulttest.Caller(2), second.Secret.Key, ""), "second")
}

// postbox keeps what is sent.
type postbox struct {
	mu   sync.Mutex
	sent []outbox.Mail
}

func (p *postbox) send(_ context.Context, m outbox.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, m)
	return nil
}

func (p *postbox) count(kind outbox.MailKind, domain string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.sent {
		if m.Kind == kind && m.Domain == domain {
			n++
		}
	}
	return n
}
