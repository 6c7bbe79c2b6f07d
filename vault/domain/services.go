package domain

import (
	"context"
	"log/slog"
	"net/netip"

	"hush/vault/account"
	"hush/vault/cluster"
	"hush/vault/outbox"
)

// Resolver queries DNS within its own limits of time, number and size.
type Resolver interface {
	// TXT returns the TXT records of a name, each joined to one string, and the
	// name that holds them, which differs if aliases lead there. A name without
	// records is not an error.
	TXT(ctx context.Context, name string) (texts []string, at string, err error)
	// Addresses returns the IPv4 and IPv6 addresses of a name, and the names that
	// hold them, as TXT does; having none is not an error.
	Addresses(ctx context.Context, name string) (addresses []netip.Addr, at []string, err error)
}

// Options are the dependencies of New; all but Host and Resolver are required.
type Options struct {
	Store    cluster.Store
	Clock    *cluster.Clock
	Log      *slog.Logger
	Outbox   *outbox.Outbox
	Accounts *account.Accounts
	// Host is the service's own host name, which cannot be a custom domain.
	Host string
	// Resolver queries DNS; without one no domain can be verified.
	Resolver Resolver
}

// Domains keeps domains, their brands and their images. It is safe for
// concurrent use.
type Domains struct {
	store    cluster.Store
	clock    *cluster.Clock
	accounts *account.Accounts
	checks   *Checks
	host     string
	images   *imager
}

// Checks verifies domains by DNS. It is safe for concurrent use.
type Checks struct {
	store    cluster.Store
	clock    *cluster.Clock
	log      *slog.Logger
	outbox   *outbox.Outbox
	accounts *account.Accounts
	domains  *Domains
	host     string
	resolver Resolver
	turns    *turns
}

// New returns the services on a store.
func New(o Options) (*Domains, *Checks) {
	domains := &Domains{store: o.Store, clock: o.Clock, accounts: o.Accounts, host: o.Host, images: newImager()}
	domains.checks = &Checks{
		store: o.Store, clock: o.Clock, log: o.Log, outbox: o.Outbox, accounts: o.Accounts,
		domains: domains, host: o.Host, resolver: o.Resolver, turns: newTurns(),
	}
	return domains, domains.checks
}
