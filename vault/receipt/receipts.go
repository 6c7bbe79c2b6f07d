package receipt

import (
	"log/slog"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/quota"
	"hush/vault/session"
	"hush/vault/watch"
)

// Options are the dependencies of New; all are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Log         *slog.Logger
	Limits      caller.Limits
	Accounts    *account.Accounts
	Sessions    *session.Sessions
	Credentials *credential.Credentials
	Usage       *quota.Usage
	Watches     *watch.Watches
}

// Receipts shows and lists receipts. It is safe for concurrent use.
type Receipts struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	log         *slog.Logger
	limits      caller.Limits
	accounts    *account.Accounts
	sessions    *session.Sessions
	credentials *credential.Credentials
	usage       *quota.Usage
	watches     *watch.Watches
}

// New returns the receipts of a store.
func New(o Options) *Receipts {
	return &Receipts{
		store: o.Store, clock: o.Clock, keys: o.Keys, log: o.Log, limits: o.Limits, accounts: o.Accounts,
		sessions: o.Sessions, credentials: o.Credentials, usage: o.Usage, watches: o.Watches,
	}
}
