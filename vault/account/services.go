package account

import (
	"log/slog"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/watch"
)

// Options are the dependencies of New; all are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Log         *slog.Logger
	Limits      caller.Limits
	Policy      caller.Policy
	Credentials *credential.Credentials
	Watches     *watch.Watches
}

// Accounts shows and changes accounts. It is safe for concurrent use.
type Accounts struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	log         *slog.Logger
	limits      caller.Limits
	policy      caller.Policy
	credentials *credential.Credentials
	watches     *watch.Watches // told of credentials that may have ended
}

// New returns the accounts of a store.
func New(o Options) *Accounts {
	return &Accounts{o.Store, o.Clock, o.Keys, o.Log, o.Limits, o.Policy, o.Credentials, o.Watches}
}
