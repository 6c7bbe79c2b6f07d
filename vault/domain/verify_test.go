package domain_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/testtier"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// claimed is the name that most tests are about.
const claimed = "secrets.example.com"

// What DNS may say, and whether it proves anything.
func TestVerifyDomain(t *testing.T) {
	t.Parallel()
	const (
		noTXT, otherTXT = "No TXT record was found.", "There are TXT records, but none has the expected value."
		noAnswer        = "DNS could not answer."
	)
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("value %d", i)
	}
	tests := map[string]struct {
		zone    func(k *domainKit, d, other domain.Domain)
		proved  bool
		problem string
	}{
		"nothing":            {func(*domainKit, domain.Domain, domain.Domain) {}, false, noTXT},
		"the value":          {func(k *domainKit, d, _ domain.Domain) { k.publish(d) }, true, ""},
		"among others":       {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), "v=spf1 -all", d.TXTValue) }, true, ""},
		"a wrong value":      {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), strings.Repeat("0", 32)) }, false, otherTXT},
		"in capitals":        {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), "A"+strings.ToUpper(d.TXTValue[1:])) }, false, otherTXT},
		"a part":             {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), d.TXTValue[:31]) }, false, otherTXT},
		"in quotes":          {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), `"`+d.TXTValue+`"`) }, false, otherTXT},
		"with more":          {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), d.TXTValue+"\n") }, false, otherTXT},
		"another's value":    {func(k *domainKit, d, o domain.Domain) { k.DNS.SetTXT(txtName(d), o.TXTValue) }, false, otherTXT},
		"another's record":   {func(k *domainKit, _, o domain.Domain) { k.publish(o) }, false, noTXT},
		"at the name itself": {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(d.Name, d.TXTValue) }, false, noTXT},
		"below the base": {func(k *domainKit, d, _ domain.Domain) {
			k.DNS.SetTXT("_onetime-challenge-"+d.ID[:7]+".example.com", d.TXTValue)
		}, false, noTXT},
		"without the underline": {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d)[1:], d.TXTValue) }, false, noTXT},
		"an alias": {func(k *domainKit, d, _ domain.Domain) {
			k.DNS.SetCNAME(txtName(d), "proof.example.net")
			k.DNS.SetTXT("proof.example.net", d.TXTValue)
		}, true, ""},
		"a circle":           {func(k *domainKit, d, _ domain.Domain) { k.DNS.Loop(txtName(d), "b.example.com", "c.example.com") }, false, noAnswer},
		"an alias to itself": {func(k *domainKit, d, _ domain.Domain) { k.DNS.Loop(txtName(d)) }, false, noAnswer},
		"refused":            {func(k *domainKit, d, _ domain.Domain) { k.DNS.Refuse(txtName(d)) }, false, noAnswer},
		"truncated":          {func(k *domainKit, d, _ domain.Domain) { k.publish(d); k.DNS.Truncate(true) }, true, ""},
		"truncated nothing":  {func(k *domainKit, _, _ domain.Domain) { k.DNS.Truncate(true) }, false, noTXT},
		"the first of 1,000": {func(k *domainKit, d, _ domain.Domain) {
			k.DNS.SetTXT(txtName(d), slices.Concat([]string{d.TXTValue}, many)...)
		}, true, ""},
		"the last of 1,000": {func(k *domainKit, d, _ domain.Domain) {
			k.DNS.SetTXT(txtName(d), slices.Concat(many, []string{d.TXTValue})...)
		}, false, otherTXT},
		"behind a long text": {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetTXT(txtName(d), strings.Repeat("x", 4000)+d.TXTValue) }, false, otherTXT},
		"an address only":    {func(k *domainKit, d, _ domain.Domain) { k.DNS.SetA(txtName(d), ownAddress) }, false, noTXT},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			k := newDomainKit(t, vaulttest.Options{})
			c := k.account(t)
			d, other := k.add(t, c, claimed), k.add(t, k.account(t), claimed)
			test.zone(k, d, other)
			state := domain.DomainPending
			if test.proved {
				state = domain.DomainVerified
			}
			got := k.verify(t, c, d.ID, state)
			check := checkOf(t, got, domain.CheckTXT)
			vaulttest.Want(t, "Check.Passed", check.Passed, test.proved)
			vaulttest.Want(t, "Check.Problem", check.Problem, test.problem)
			vaulttest.Want(t, "Check.Name", check.Name, txtName(d))
			if len(check.Found) > 10 || slices.ContainsFunc(check.Found, func(s string) bool { return len(s) > 512 }) {
				t.Errorf("Check.Found: got %d texts, want at most 10 of at most 512 bytes", len(check.Found))
			}
			if diff := cmp.Diff([]string{d.TXTValue}, check.Expected); diff != "" {
				t.Errorf("Check.Expected: -want +got\n%s", diff)
			}
			vaulttest.Want(t, "audited(AuditDomainVerified) > 0", audited(t, k.Kit, audit.DomainVerified) > 0, test.proved)
			vaulttest.Want(t, "Domain.Checked", got.Checked, k.Clock.Now())
			vaulttest.Want(t, "Domain.Verified.IsZero()", got.Verified.IsZero(), !test.proved)
		})
	}
}

// A server that does not answer proves nothing, and causes no error.
func TestVerifyDomainTimeout(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "waits for a timeout")
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.verified(t, c, claimed)
	k.DNS.Delay(time.Minute)
	got := k.verify(t, c, claimed, domain.DomainVerified)
	vaulttest.Want(t, "Check.Problem", checkOf(t, got, domain.CheckTXT).Problem, "DNS did not answer in time.")
	vaulttest.Want(t, "Check.Problem", checkOf(t, got, domain.CheckAddress).Problem, "DNS did not answer in time.")
	left, leave := context.WithCancel(t.Context())
	before := k.DNS.Queries(txtName(d))
	var ended sync.WaitGroup
	ended.Go(func() {
		for k.DNS.Queries(txtName(d)) == before && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		leave()
	})
	_, err := k.Vault.Checks.VerifyDomain(left, c, claimed)
	vaulttest.WantErr(t, "VerifyDomain(left)", err, context.Canceled)
	ended.Wait()
	k.DNS.Delay(0)
	k.verify(t, c, claimed, domain.DomainVerified)
}

func TestDomainAddressCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		zone      func(k *domainKit)
		resolving bool
		problem   string
		found     []string
	}{
		"no address":     {func(*domainKit) {}, false, "The name has no address.", nil},
		"ours":           {func(k *domainKit) { k.DNS.SetA(claimed, ownAddress) }, true, "", []string{ownAddress}},
		"by an alias":    {func(k *domainKit) { k.DNS.SetCNAME(claimed, ownHost) }, true, "", []string{ownAddress}},
		"elsewhere":      {func(k *domainKit) { k.DNS.SetA(claimed, "192.0.2.99") }, false, "The name does not lead to this service alone.", []string{"192.0.2.99"}},
		"ours and other": {func(k *domainKit) { k.DNS.SetA(claimed, ownAddress, "2001:db8::1") }, false, "The name does not lead to this service alone.", []string{ownAddress, "2001:db8::1"}},
		"inside":         {func(k *domainKit) { k.DNS.SetA(claimed, "10.1.2.3", "169.254.0.1", "100.64.0.9", "::1") }, false, "The name does not lead to this service alone.", slices.Repeat([]string{"not a public address"}, 4)},
		"alias outside": {func(k *domainKit) {
			k.DNS.SetCNAME(claimed, "db.corp.internal")
			k.DNS.SetA("db.corp.internal", "192.0.2.99")
		}, false, outsideAddress, nil},
		"nothing there": {func(k *domainKit) { k.DNS.SetCNAME(claimed, "none.corp.internal") }, false, outsideAddress, nil},
		"IPv6 outside": {func(k *domainKit) {
			k.DNS.SetCNAME(claimed, "db.corp.internal")
			k.DNS.SetA("db.corp.internal", "2001:db8::9")
		}, false, outsideAddress, nil},
		"alias inside": {func(k *domainKit) { k.DNS.SetCNAME(claimed, "in."+claimed); k.DNS.SetA("in."+claimed, "192.0.2.99") }, false, "The name does not lead to this service alone.", []string{"192.0.2.99"}},
		"outside, own unknown": {func(k *domainKit) {
			k.DNS.SetCNAME(claimed, "db.corp.internal")
			k.DNS.SetA("db.corp.internal", "192.0.2.99")
			k.DNS.Delete(ownHost)
		}, false, "The addresses of this service are not known.", nil},
		"refused":     {func(k *domainKit) { k.DNS.Refuse(claimed) }, false, "DNS could not answer.", nil},
		"own unknown": {func(k *domainKit) { k.DNS.SetA(claimed, ownAddress); k.DNS.Delete(ownHost) }, false, "The addresses of this service are not known.", []string{ownAddress}},
		"own refused": {func(k *domainKit) { k.DNS.SetA(claimed, ownAddress); k.DNS.Refuse(ownHost) }, false, "DNS could not answer.", []string{ownAddress}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			k := newDomainKit(t, vaulttest.Options{})
			c := k.account(t)
			k.publish(k.add(t, c, claimed))
			test.zone(k)
			got := k.verify(t, c, claimed, domain.DomainVerified) // whatever the address
			check := checkOf(t, got, domain.CheckAddress)
			vaulttest.Want(t, "Domain.Resolving", got.Resolving, test.resolving)
			vaulttest.Want(t, "Check.Passed", check.Passed, test.resolving)
			vaulttest.Want(t, "Check.Problem", check.Problem, test.problem)
			if diff := cmp.Diff(test.found, check.Found, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Check.Found: -want +got\n%s", diff)
			}
		})
	}
}

// A service whose host needs no DNS knows its addresses itself.
func TestDomainAddressOfPlainHost(t *testing.T) {
	t.Parallel()
	for host, address := range map[string]string{ownAddress: ownAddress, "localhost": "127.0.0.1", "Hush.Localhost": "::1", "2001:db8::80": "2001:db8::80"} {
		k := newDomainKit(t, vaulttest.Options{Host: host})
		c := k.account(t)
		k.add(t, c, claimed)
		k.DNS.SetA(claimed, address)
		got := k.verify(t, c, claimed, domain.DomainPending) // whatever the address
		vaulttest.Want(t, "Domain.Resolving", got.Resolving, true)
		vaulttest.Want(t, "Check.Found", checkOf(t, got, domain.CheckAddress).Found[0], address)
		vaulttest.Want(t, "Queries(own host)", k.DNS.Queries(host), 0)
	}
}

// Eight accounts can each prove that they control the name, all at once: as many as
// are checked at a time. It becomes the domain of one.
func TestVerifyDomainRace(t *testing.T) {
	t.Parallel()
	const racers = 8
	k := newDomainKit(t, vaulttest.Options{})
	callers := make([]caller.Caller, racers)
	for i := range callers {
		callers[i] = k.account(t)
		callers[i].Network = vaulttest.Caller(i).Network
		k.publish(k.add(t, callers[i], claimed))
	}
	var won, lost atomic.Int32
	var ended sync.WaitGroup
	for _, c := range callers {
		ended.Go(func() {
			d, err := k.Vault.Checks.VerifyDomain(t.Context(), c, claimed)
			switch {
			case err == nil && d.State == domain.DomainVerified:
				won.Add(1)
			case err == nil:
				t.Errorf("VerifyDomain(racer): got state %d (%v), want verified or an error", d.State, d.Checks)
			default:
				vaulttest.WantErr(t, "VerifyDomain(racer)", err, refusal.ErrDuplicate)
				lost.Add(1)
			}
		})
	}
	ended.Wait()
	vaulttest.Want(t, "winners", won.Load(), 1)
	vaulttest.Want(t, "losers", lost.Load(), racers-1)
	vaulttest.Want(t, "audited(AuditDomainVerified)", audited(t, k.Kit, audit.DomainVerified), 1)
	wantDomains(t, k, 1)
	states := map[domain.State]int{}
	for _, c := range callers {
		d := k.get(t, c, claimed)
		states[d.State]++
		if d.State == domain.DomainPending {
			vaulttest.Want(t, "Check.Problem", checkOf(t, d, domain.CheckTXT).Problem, "Another account has verified this name.")
		}
	}
	vaulttest.Want(t, "verified", states[domain.DomainVerified], 1)
	vaulttest.Want(t, "pending", states[domain.DomainPending], racers-1)
}

func TestVerifyWithoutResolver(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Host: ownHost})
	c := k.MustAccount(t, "ada@example.net")
	_, err := k.Vault.Checks.VerifyDomain(t.Context(), c, claimed)
	vaulttest.WantErr(t, "VerifyDomain(unknown)", err, refusal.ErrDomainNotFound)
	if _, err := k.Vault.Domains.AddDomain(t.Context(), c, claimed); err != nil {
		t.Fatalf("AddDomain(%s): got %v, want nil", claimed, err)
	}
	_, err = k.Vault.Checks.VerifyDomain(t.Context(), c, claimed)
	vaulttest.WantErr(t, "VerifyDomain(no resolver)", err, refusal.ErrNotConfigured)
	k.Clock.Advance(time.Hour)
	if n, err := k.Vault.Checks.Recheck(t.Context()); n != 0 || err != nil {
		t.Errorf("Recheck(no resolver): got %d, %v, want 0", n, err)
	}
}

func TestOperatorDomains(t *testing.T) {
	t.Parallel()
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	operator := k.Vault.Operator()
	for _, account := range []string{"owner1@example.net", "Owner1@Example.net", c.Account()} {
		list, err := operator.Domains.ListDomains(t.Context(), caller.Text(account))
		if diff := cmp.Diff([]domain.Domain{d}, list); diff != "" || err != nil {
			t.Errorf("Operator.ListDomains(account): got %v, -want +got\n%s", err, diff)
		}
	}
	k.publish(d)
	got, err := operator.Domains.VerifyDomain(t.Context(), "owner1@example.net", d.ID)
	if err != nil || got.State != domain.DomainVerified || got.Address != "owner1@example.net" {
		t.Errorf("Operator.VerifyDomain(domain): got state %d, %v, want verified", got.State, err)
	}
	_, err = operator.Domains.VerifyDomain(t.Context(), "owner1@example.net", "other.example.com")
	vaulttest.WantErr(t, "Operator.VerifyDomain(unknown)", err, refusal.ErrDomainNotFound)
	_, err = operator.Domains.VerifyDomain(t.Context(), "nobody@example.net", claimed)
	vaulttest.WantErr(t, "Operator.VerifyDomain(nobody)", err, refusal.ErrNotFound)
	_, err = operator.Domains.ListDomains(t.Context(), "nobody@example.net")
	vaulttest.WantErr(t, "Operator.ListDomains(nobody)", err, refusal.ErrNotFound)
}

// The attack: claim a name, and make its challenge an alias of one in the
// operator's own network. The service asks its DNS server, which answers it,
// and shows what it found: texts that outsiders cannot look up. So what is
// outside the domain is compared alone. That nothing is there is not told
// either.
func TestAliasesShowNothingFromOutside(t *testing.T) {
	t.Parallel()
	const inner = "spf-and-keys.corp.internal"
	k := newDomainKit(t, vaulttest.Options{})
	c := k.account(t)
	d := k.add(t, c, claimed)
	for _, test := range []struct {
		name    string
		set     func()
		found   []string
		problem string
	}{
		{"another zone", func() { k.DNS.SetTXT(inner, "ldap-password=hunter2"); k.DNS.SetCNAME(txtName(d), inner) }, nil, outsideProblem},
		{"by way of the domain", func() {
			k.DNS.SetCNAME(txtName(d), "hop."+claimed)
			k.DNS.SetCNAME("hop."+claimed, inner)
		}, nil, outsideProblem},
		{"a sibling", func() { k.DNS.SetTXT("x.example.com", "hunter2"); k.DNS.SetCNAME(txtName(d), "x.example.com") }, nil, outsideProblem},
		{"a lookalike", func() { k.DNS.SetTXT("x"+claimed, "hunter2"); k.DNS.SetCNAME(txtName(d), "x"+claimed) }, nil, outsideProblem},
		{"nothing there", func() { k.DNS.SetCNAME(txtName(d), "none.corp.internal") }, nil, outsideProblem},
		{"within the domain", func() { k.DNS.SetTXT("in."+claimed, "wrong"); k.DNS.SetCNAME(txtName(d), "in."+claimed) },
			[]string{"wrong"}, "There are TXT records, but none has the expected value."},
	} {
		k.DNS.Delete(txtName(d))
		test.set()
		check := checkOf(t, k.verify(t, c, claimed, domain.DomainPending), domain.CheckTXT)
		if diff := cmp.Diff(test.found, check.Found, cmpopts.EquateEmpty()); diff != "" || check.Problem != test.problem {
			t.Errorf("VerifyDomain(%s): got problem %q, want %q; found -want +got\n%s", test.name, check.Problem, test.problem, diff)
		}
		for _, row := range vaulttest.RowsIn(t, k.Store, domain.BucketDomain) {
			if bytes.Contains(row, []byte("hunter2")) {
				t.Errorf("VerifyDomain(%s): got the text in the record, want it nowhere", test.name)
			}
		}
	}
	k.DNS.Delete(txtName(d))
	k.DNS.SetTXT("proof.provider.example", "another", d.TXTValue)
	k.DNS.SetCNAME(txtName(d), "proof.provider.example")
	check := checkOf(t, k.verify(t, c, claimed, domain.DomainVerified), domain.CheckTXT)
	if len(check.Found) != 0 || !check.Passed || check.Problem != "" {
		t.Errorf("VerifyDomain(a provider's): got %v, want it passed and nothing shown", check)
	}
}

const (
	outsideAddress = "The name is an alias of one outside the domain, which does not lead to this service alone."
	outsideProblem = "The name is an alias of one outside the domain, where the expected value was not found."
)
