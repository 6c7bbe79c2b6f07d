package domain_test

import (
	"fmt"
	"testing"
	"time"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/vaulttest"
)

const (
	ownHost    = "hush.example.org"
	ownAddress = "192.0.2.80"
)

// domainKit is a vault that asks a real DNS server.
type domainKit struct {
	*vaulttest.Kit
	DNS      *resolvertest.Server
	accounts int
}

func newDomainKit(t *testing.T, opts vaulttest.Options) *domainKit {
	t.Helper()
	return newDomainKitOn(t, opts, func(r domain.Resolver) domain.Resolver { return r })
}

// newDomainKitOn returns a kit whose vault asks what wrap makes of the resolver.
func newDomainKitOn(t *testing.T, opts vaulttest.Options, wrap func(domain.Resolver) domain.Resolver) *domainKit {
	t.Helper()
	server := resolvertest.New(t)
	r, err := resolver.New(server.Addr)
	if err != nil {
		t.Fatalf("resolver.New(%s): got %v, want nil", server.Addr, err)
	}
	server.SetA(ownHost, ownAddress)
	if opts.Host == "" {
		opts.Host = ownHost
	}
	opts.Manual, opts.Resolver = true, wrap(r)
	return &domainKit{Kit: vaulttest.New(t, opts), DNS: server}
}

// account makes another account.
func (k *domainKit) account(t *testing.T) caller.Caller {
	t.Helper()
	k.accounts++
	return k.MustAccount(t, caller.Text(fmt.Sprintf("owner%d@example.net", k.accounts)))
}

func (k *domainKit) add(t *testing.T, c caller.Caller, name string) domain.Domain {
	t.Helper()
	d, err := k.Vault.Domains.AddDomain(t.Context(), c, name)
	if err != nil {
		t.Fatalf("AddDomain(%s): got %v, want nil", name, err)
	}
	return d
}

// publish puts a domain's proof into DNS.
func (k *domainKit) publish(d domain.Domain) { k.DNS.SetTXT(txtName(d), d.TXTValue) }

func txtName(d domain.Domain) string { return d.TXTHost + "." + d.Base }

func (k *domainKit) verify(t *testing.T, c caller.Caller, name string, state domain.State) domain.Domain {
	t.Helper()
	d, err := k.Vault.Checks.VerifyDomain(t.Context(), c, name)
	if err != nil {
		t.Fatalf("VerifyDomain(%s): got %v, want nil", name, err)
	}
	vaulttest.Want(t, "VerifyDomain("+name+").State", d.State, state)
	return d
}

// verified makes a domain that is.
func (k *domainKit) verified(t *testing.T, c caller.Caller, name string) domain.Domain {
	t.Helper()
	k.publish(k.add(t, c, name))
	return k.verify(t, c, name, domain.DomainVerified)
}

func (k *domainKit) get(t *testing.T, c caller.Caller, name string) domain.Domain {
	t.Helper()
	d, err := k.Vault.Domains.GetDomain(t.Context(), c, name)
	if err != nil {
		t.Fatalf("GetDomain(%s): got %v, want nil", name, err)
	}
	return d
}

func (k *domainKit) remove(t *testing.T, c caller.Caller, name string) {
	t.Helper()
	if got, err := k.Vault.Domains.RemoveDomain(t.Context(), c, name); err != nil || got == "" {
		t.Fatalf("RemoveDomain(%s): got %q, %v, want the name", name, got, err)
	}
}

// recheck checks all that is due.
func (k *domainKit) recheck(t *testing.T) (handled int) {
	t.Helper()
	for {
		n, err := k.Vault.Checks.Recheck(t.Context())
		if err != nil {
			t.Fatalf("Recheck(): got %v, want nil", err)
		}
		if handled += n; n == 0 {
			return handled
		}
	}
}

// pass lets time pass in steps, with the background's checks in between.
func (k *domainKit) pass(t *testing.T, whole, step time.Duration) (handled int) {
	t.Helper()
	for ; whole > 0; whole -= step {
		k.Clock.Advance(step)
		handled += k.recheck(t)
	}
	return handled
}

// lapse takes the proof of a domain away until the domain is suspended.
func (k *domainKit) lapse(t *testing.T, c caller.Caller, d domain.Domain) {
	t.Helper()
	k.DNS.Delete(txtName(d))
	k.pass(t, 9*24*time.Hour, 4*time.Hour)
	vaulttest.Want(t, "GetDomain(lapsed).State", k.get(t, c, d.Name).State, domain.DomainSuspended)
}

// checkOf returns the last check of a kind.
func checkOf(t *testing.T, d domain.Domain, kind domain.CheckKind) domain.Check {
	t.Helper()
	for _, c := range d.Checks {
		if c.Kind == kind {
			return c
		}
	}
	t.Fatalf("Domain.Checks: got %v, want one of kind %d", d.Checks, kind)
	return domain.Check{}
}

// audited counts the audit rows of a kind.
func audited(t *testing.T, k *vaulttest.Kit, kind audit.Type) (n int) {
	t.Helper()
	for _, value := range vaulttest.RowsIn(t, k.Store, audit.BucketAudit) {
		row, err := audit.Decode(value)
		if err != nil {
			t.Fatalf("AuditOf(row): got %v, want nil", err)
		}
		if row.Kind == kind {
			n++
		}
	}
	return n
}
