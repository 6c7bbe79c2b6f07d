package account

import (
	"log/slog"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/guess"
	"hush/vault/outbox"
)

// Options are the dependencies of New; all are required.
type Options struct {
	Store       cluster.Store
	Clock       *cluster.Clock
	Keys        *seal.Keys
	Log         *slog.Logger
	Limits      caller.Limits
	Policy      caller.Policy
	Hasher      *guess.Hasher
	Challenges  *challenge.Challenges
	Outbox      *outbox.Outbox
	Credentials *credential.Credentials
	Others      Others
	// Cost is the cost of hashing a password; zero means the defaults of seal.
	Cost seal.PasswordParams
}

// Services are the services of this package.
type Services struct {
	Accounts  *Accounts
	Passwords *Passwords
	SignUps   *SignUps
	Tickets   *Tickets
}

// Accounts shows, changes and ends accounts. It is safe for concurrent use.
type Accounts struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	log         *slog.Logger
	limits      caller.Limits
	policy      caller.Policy
	outbox      *outbox.Outbox
	credentials *credential.Credentials
	others      Others
	passwords   *Passwords
	signUps     *SignUps
	tickets     *Tickets
}

// Passwords checks and changes passwords. It is safe for concurrent use.
type Passwords struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	hasher      *guess.Hasher
	credentials *credential.Credentials
	others      Others
	accounts    *Accounts
	tickets     *Tickets
	cost        seal.PasswordParams
}

// SignUps creates accounts, and mails the links that confirm addresses and set
// passwords. It is safe for concurrent use.
type SignUps struct {
	store       cluster.Store
	clock       *cluster.Clock
	keys        *seal.Keys
	policy      caller.Policy
	challenges  *challenge.Challenges
	outbox      *outbox.Outbox
	credentials *credential.Credentials
	others      Others
	accounts    *Accounts
	passwords   *Passwords
	tickets     *Tickets
}

// Tickets keeps mailed links and invites. It is safe for concurrent use.
type Tickets struct {
	store cluster.Store
	keys  *seal.Keys
}

// New returns the services on a store.
func New(o Options) Services {
	tickets := &Tickets{o.Store, o.Keys}
	accounts := &Accounts{
		store: o.Store, clock: o.Clock, keys: o.Keys, log: o.Log, limits: o.Limits, policy: o.Policy,
		outbox: o.Outbox, credentials: o.Credentials, others: o.Others, tickets: tickets,
	}
	passwords := &Passwords{
		store: o.Store, clock: o.Clock, keys: o.Keys, hasher: o.Hasher, credentials: o.Credentials,
		others: o.Others, accounts: accounts, tickets: tickets, cost: o.Cost,
	}
	signUps := &SignUps{
		store: o.Store, clock: o.Clock, keys: o.Keys, policy: o.Policy, challenges: o.Challenges,
		outbox: o.Outbox, credentials: o.Credentials, others: o.Others, accounts: accounts,
		passwords: passwords, tickets: tickets,
	}
	accounts.passwords, accounts.signUps = passwords, signUps
	return Services{accounts, passwords, signUps, tickets}
}
