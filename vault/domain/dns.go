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
	// checkTime is the maximum time of all queries of one check.
	checkTime  = 5 * time.Second
	valuesMost = 10
	valueSize  = 512
)

// findings are the results of the DNS queries about a domain.
type findings struct {
	txt, address Check
}

// askDNS runs the DNS queries about a domain. No result is an error: the
// account sees them all. It must not run in a transaction.
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

// checkTXT passes if the domain's challenge record has the expected value. An
// alias may lead to any name that this service's DNS server sees, its
// operator's private network included. So records outside the domain are
// compared, but never shown, and a mismatch there looks the same as no record.
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

// checkAddress passes if a name has addresses and all of them are the service's
// own. What an alias leads to outside the domain is compared, but never shown, as
// in checkTXT.
func (ck *Checks) checkAddress(ctx context.Context, name string) Check {
	c := Check{Kind: CheckAddress, Name: name}
	found, at, err := ck.resolver.Addresses(ctx, name)
	if err != nil {
		c.Problem = problemOf(err)
		return c
	}
	own, err := ck.ownAddresses(ctx)
	c.Expected = bounded(texts(own, own))
	c.Passed = len(found) > 0 && !slices.ContainsFunc(found, func(a netip.Addr) bool { return !slices.Contains(own, a) })
	outside := slices.ContainsFunc(at, func(holder string) bool { return !isBelow(holder, name) })
	if c.Passed || !outside {
		c.Found = bounded(texts(found, own))
	}
	switch {
	case err != nil:
		c.Problem = problemOf(err)
	case len(own) == 0:
		c.Problem = problemNoHost
	case c.Passed:
	case outside:
		c.Problem = problemOutside
	case len(found) == 0:
		c.Problem = problemNoAddress
	default:
		c.Problem = problemElsewhere
	}
	return c
}

// ownAddresses returns the addresses of the service's own host.
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
		own, _, err := ck.resolver.Addresses(ctx, host)
		return own, err
	}
}

// shared are the addresses between a provider and its customers (RFC 6598), which
// netip takes for public ones.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// texts returns addresses as text. It hides those that are not public and not the
// service's own.
func texts(addresses, own []netip.Addr) []string {
	shown := make([]string, len(addresses))
	for i, a := range addresses {
		shown[i] = a.String()
		if (a.IsPrivate() || !a.IsGlobalUnicast() || shared.Contains(a)) && !slices.Contains(own, a) {
			shown[i] = "not a public address"
		}
	}
	return shown
}

// bounded limits the number and size of values from DNS.
func bounded(values []string) []string {
	kept := make([]string, min(len(values), valuesMost))
	for i := range kept {
		kept[i] = strings.ToValidUTF8(values[i][:min(len(values[i]), valueSize)], "�")
	}
	return kept
}

// problemOf describes why a DNS query failed. It does not return the error's
// text, which may name internal servers.
func problemOf(err error) string {
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return problemNoAnswer
	}
	return problemNoDNS
}
