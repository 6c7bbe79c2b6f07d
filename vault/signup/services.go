package signup

import (
	"log/slog"
	"sync"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/password"
)

// Options are the dependencies of New; all are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Log         *slog.Logger
	Policy      caller.Policy
	Challenges  *challenge.Challenges
	Outbox      *outbox.Outbox
	Credentials *credential.Credentials
	Accounts    *account.Accounts
	Passwords   *password.Passwords
}

// SignUps creates accounts, and mails the links that confirm addresses and set
// passwords. It is safe for concurrent use.
type SignUps struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	log         *slog.Logger
	policy      caller.Policy
	challenges  *challenge.Challenges
	outbox      *outbox.Outbox
	credentials *credential.Credentials
	accounts    *account.Accounts
	passwords   *password.Passwords

	discarding sync.WaitGroup // of mails that are not sent
}

// New returns the sign-ups of a store.
func New(o Options) *SignUps {
	return &SignUps{
		store: o.Store, clock: o.Clock, keys: o.Keys, log: o.Log, policy: o.Policy, challenges: o.Challenges,
		outbox: o.Outbox, credentials: o.Credentials, accounts: o.Accounts, passwords: o.Passwords,
	}
}

// Wait returns when the mails that were prepared and not sent are destroyed. All
// operations must have ended.
func (su *SignUps) Wait() { su.discarding.Wait() }
