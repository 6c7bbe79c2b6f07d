package domain

import (
	"log/slog"

	"hush/vault/account"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// Options are the dependencies of New; all but Host and Resolver are required.
type Options struct {
	Store    rows.Store
	Clock    *rows.Clock
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
	store    rows.Store
	clock    *rows.Clock
	accounts *account.Accounts
	checks   *Checks
	host     string
	images   *imager
}

// Checks verifies domains by DNS. It is safe for concurrent use.
type Checks struct {
	store    rows.Store
	clock    *rows.Clock
	log      *slog.Logger
	outbox   *outbox.Outbox
	accounts *account.Accounts
	domains  *Domains
	host     string
	resolver Resolver
}

// New returns the services on a store.
func New(o Options) (*Domains, *Checks) {
	domains := &Domains{store: o.Store, clock: o.Clock, accounts: o.Accounts, host: o.Host, images: newImager()}
	domains.checks = &Checks{
		store: o.Store, clock: o.Clock, log: o.Log, outbox: o.Outbox, accounts: o.Accounts,
		domains: domains, host: o.Host, resolver: o.Resolver,
	}
	return domains, domains.checks
}
