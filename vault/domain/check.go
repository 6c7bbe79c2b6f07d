package domain

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"hush/crash"
)

const (
	// checkTime is how long all questions of one check may take together.
	checkTime  = 5 * time.Second
	valuesMost = 10
	valueSize  = 512
)

// The words for what a check found wrong.
const (
	problemNoTXT     = "No TXT record was found."
	problemOtherTXT  = "There are TXT records, but none has the expected value."
	problemAlias     = "The name is an alias of one outside the domain, where the expected value was not found."
	problemNotFound  = "The expected value was not found." // by a check of an earlier version
	problemTaken     = "Another account has verified this name."
	problemNoAddress = "The name has no address."
	problemElsewhere = "The name does not lead to this service alone."
	problemNoHost    = "The addresses of this service are not known."
	problemNoAnswer  = "DNS did not answer in time."
	problemNoDNS     = "DNS could not answer."
)

// findings is what DNS said about a domain.
type findings struct {
	txt, address Check
}

// askDNS puts the questions about a domain to DNS. Nothing of what it finds is
// an error: it is for the account to see. It must not run in a transaction.
func (ck *Checks) askDNS(ctx context.Context, d *ownedDomain, now time.Time) findings {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	var f findings
	var asked sync.WaitGroup
	crash.Go(&asked, ck.log, func() { f.txt = ck.checkTXT(ctx, d) })
	crash.Go(&asked, ck.log, func() { f.address = ck.checkAddress(ctx, d.name) })
	asked.Wait()
	f.txt.Time, f.address.Time = now, now
	return f
}

// checkTXT passes if the domain's challenge has the expected value. An alias may
// lead it anywhere that this service's DNS server sees, its operator's own
// network included. What is outside the domain is therefore compared and never
// shown, nor told from nothing.
func (ck *Checks) checkTXT(ctx context.Context, d *ownedDomain) Check {
	c := Check{Kind: CheckTXT, Name: d.challenge() + "." + d.name, Expected: []string{d.value()}}
	found, at, err := ck.resolver.TXT(ctx, c.Name)
	values, outside := bounded(found), !isBelow(at, d.name)
	c.Passed = err == nil && slices.Contains(values, c.Expected[0])
	if !outside {
		c.Found = values
	}
	switch {
	case err != nil:
		c.Problem = problemOf(err)
	case c.Passed:
	case outside:
		c.Problem = problemAlias
	case len(found) == 0:
		c.Problem = problemNoTXT
	default:
		c.Problem = problemOtherTXT
	}
	return c
}

// isBelow reports whether a canonical name is another one or lies below it.
func isBelow(name, other string) bool { return name == other || strings.HasSuffix(name, "."+other) }

// checkAddress passes if a name has addresses and each is one of the service's
// own.
func (ck *Checks) checkAddress(ctx context.Context, name string) Check {
	c := Check{Kind: CheckAddress, Name: name}
	found, err := ck.resolver.Addresses(ctx, name)
	if err != nil {
		c.Problem = problemOf(err)
		return c
	}
	own, err := ck.ownAddresses(ctx)
	c.Expected = bounded(texts(own, own))
	c.Found = bounded(texts(found, own))
	c.Passed = len(found) > 0 && !slices.ContainsFunc(found, func(a netip.Addr) bool { return !slices.Contains(own, a) })
	switch {
	case err != nil:
		c.Problem = problemOf(err)
	case len(found) == 0:
		c.Problem = problemNoAddress
	case len(own) == 0:
		c.Problem = problemNoHost
	case !c.Passed:
		c.Problem = problemElsewhere
	}
	return c
}

// ownAddresses are those of the service's own host.
func (ck *Checks) ownAddresses(ctx context.Context) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(ck.host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	switch host := ck.domains.hostName(); {
	case host == "":
		return nil, nil
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	default:
		return ck.resolver.Addresses(ctx, host)
	}
}

// texts shows addresses. What a resolver knows of networks that are not public
// is not told, but for the service's own addresses.
func texts(addresses, own []netip.Addr) []string {
	shown := make([]string, len(addresses))
	for i, a := range addresses {
		shown[i] = a.String()
		if (a.IsPrivate() || !a.IsGlobalUnicast()) && !slices.Contains(own, a) {
			shown[i] = "not a public address"
		}
	}
	return shown
}

// bounded keeps what is worth showing of what DNS said.
func bounded(values []string) []string {
	kept := make([]string, min(len(values), valuesMost))
	for i := range kept {
		kept[i] = strings.ToValidUTF8(values[i][:min(len(values[i]), valueSize)], "�")
	}
	return kept
}

// problemOf says in words why DNS did not answer. Its own words stay here: they
// name servers that are nobody's business.
func problemOf(err error) string {
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return problemNoAnswer
	}
	return problemNoDNS
}
