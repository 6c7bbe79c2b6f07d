package password

import (
	"hush/seal"
	"hush/vault/account"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/guess"
	"hush/vault/watch"
)

// Options are the dependencies of New; all but Cost are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Hasher      *guess.Hasher
	Credentials *credential.Credentials
	Accounts    *account.Accounts
	Watches     *watch.Watches
	// Cost is the cost of hashing a password; zero means the defaults of seal.
	Cost seal.PasswordParams
}

// Passwords checks and changes passwords. It is safe for concurrent use.
type Passwords struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	hasher      *guess.Hasher
	credentials *credential.Credentials
	accounts    *account.Accounts
	watches     *watch.Watches // told of credentials that may have ended
	cost        seal.PasswordParams
}

// New returns the passwords of a store.
func New(o Options) *Passwords {
	return &Passwords{o.Store, o.Clock, o.Keys, o.Hasher, o.Credentials, o.Accounts, o.Watches, o.Cost}
}
