package resolver

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/sync/semaphore"
)

const (
	totalTime = 5 * time.Second // of one question, including the wait for its turn
	tryTime   = 2 * time.Second
	tries     = 2
	// questions is how many are asked at a time: more than those who ask have under
	// way, so that none waits, and its time is that of its own answer.
	questions  = 32
	valuesMost = 10
	valueSize  = 512
)

// systemFile names the system's DNS servers.
const systemFile = "/etc/resolv.conf"

// Resolver queries one list of servers. It is safe for concurrent use.
type Resolver struct {
	servers []string
	turns   *semaphore.Weighted // one for each question
}

// New returns a resolver that queries server, in the form host:port, or the
// system's servers if it is empty.
func New(server string) (*Resolver, error) {
	servers := systemServers(systemFile)
	if server != "" {
		host, port, err := net.SplitHostPort(server)
		if err != nil {
			return nil, fmt.Errorf("the DNS server is not host:port: %w", err)
		}
		if host == "" || port == "" {
			return nil, fmt.Errorf("the DNS server %q is not host:port", server)
		}
		servers = []string{server}
	}
	return &Resolver{servers: servers, turns: semaphore.NewWeighted(questions)}, nil
}

// systemServers reads a resolv.conf. If it is missing or names no server, the
// only server is on this host.
func systemServers(path string) []string {
	config, err := dns.ClientConfigFromFile(path)
	if err != nil || len(config.Servers) == 0 {
		return []string{"127.0.0.1:53"}
	}
	servers := make([]string, len(config.Servers))
	for i, host := range config.Servers {
		servers[i] = net.JoinHostPort(host, config.Port)
	}
	return servers
}

// TXT returns the TXT records of a name, each joined to one string and written
// as in zone files: unprintable and non-ASCII bytes are escaped. at is the name
// that holds them, in lower case and without a trailing dot: the name itself,
// or the one that its aliases lead to. A name that does not exist has no
// records. Any other failure is an error, and asking again may help.
func (r *Resolver) TXT(ctx context.Context, name string) (texts []string, at string, err error) {
	err = r.ask(ctx, func(ctx context.Context) error {
		records, last, err := r.lookUp(ctx, name, dns.TypeTXT)
		at = strings.TrimSuffix(last, ".")
		for _, record := range records {
			if txt, ok := record.(*dns.TXT); ok {
				text := strings.Join(txt.Txt, "")
				texts = append(texts, text[:min(len(text), valueSize)])
			}
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return texts, at, nil
}

// Addresses returns the IPv4 addresses of a name, then its IPv6 addresses. A
// name that does not exist has none. at are the names that hold those of each kind,
// as TXT returns it: aliases may differ by kind. Any other failure is an error, even
// if only one of the two queries fails.
func (r *Resolver) Addresses(ctx context.Context, name string) (found []netip.Addr, at []string, err error) {
	err = r.ask(ctx, func(ctx context.Context) error {
		for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
			records, last, err := r.lookUp(ctx, name, kind)
			if err != nil {
				return err
			}
			at = append(at, strings.TrimSuffix(last, "."))
			found = append(found, addresses(records)...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return found[:min(len(found), valuesMost)], at, nil
}

func addresses(records []dns.RR) (found []netip.Addr) {
	for _, record := range records {
		var ip net.IP
		switch record := record.(type) {
		case *dns.A:
			ip = record.A
		case *dns.AAAA:
			ip = record.AAAA
		}
		if addr, ok := netip.AddrFromSlice(ip); ok {
			found = append(found, addr.Unmap())
		}
	}
	return found
}

// ask waits for a turn and runs question within totalTime.
func (r *Resolver) ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, totalTime)
	defer cancel()
	if err := r.turns.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("waiting for a turn to ask DNS: %w", err)
	}
	defer r.turns.Release(1)
	return question(ctx)
}
