package session

import (
	"hush/seal"
	"hush/vault/account"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/password"
	"hush/vault/watch"
)

// Sessions authenticates callers and keeps their sessions. It is safe for
// concurrent use.
type Sessions struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	accounts    *account.Accounts
	passwords   *password.Passwords
	credentials *credential.Credentials
	watches     *watch.Watches // told of credentials that may have ended
}

// Tokens creates, lists and ends the API tokens of callers' accounts. It is
// safe for concurrent use.
type Tokens struct {
	store       cluster.Store
	clock       *cluster.Clock
	credentials *credential.Credentials
	watches     *watch.Watches // told of credentials that may have ended
}

// Options are the dependencies of New; all are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Accounts    *account.Accounts
	Passwords   *password.Passwords
	Credentials *credential.Credentials
	Watches     *watch.Watches
}

// New returns the services on a store.
func New(o Options) (*Sessions, *Tokens) {
	sessions := &Sessions{o.Store, o.Clock, o.Keys, o.Accounts, o.Passwords, o.Credentials, o.Watches}
	return sessions, &Tokens{o.Store, o.Clock, o.Credentials, o.Watches}
}
