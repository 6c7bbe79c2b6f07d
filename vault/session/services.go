package session

import (
	"hush/seal"
	"hush/vault/account"
	"hush/vault/cluster"
	"hush/vault/credential"
)

// Sessions authenticates callers and keeps their sessions. It is safe for
// concurrent use.
type Sessions struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	accounts    *account.Accounts
	passwords   *account.Passwords
	credentials *credential.Credentials
	others      account.Others
}

// Tokens creates, lists and ends the API tokens of callers' accounts. It is
// safe for concurrent use.
type Tokens struct {
	store       cluster.Store
	clock       *cluster.Clock
	credentials *credential.Credentials
	others      account.Others
}

// Options are the dependencies of New; all are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Accounts    *account.Accounts
	Passwords   *account.Passwords
	Credentials *credential.Credentials
	Others      account.Others
}

// New returns the services on a store.
func New(o Options) (*Sessions, *Tokens) {
	sessions := &Sessions{o.Store, o.Clock, o.Keys, o.Accounts, o.Passwords, o.Credentials, o.Others}
	return sessions, &Tokens{o.Store, o.Clock, o.Credentials, o.Others}
}
