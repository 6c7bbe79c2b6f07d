package secret

import (
	"log/slog"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/domain"
	"hush/vault/file"
	"hush/vault/guess"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/shares"
	"hush/vault/watch"
)

// Options are the dependencies of New; all but Cost are required.
type Options struct {
	Store      cluster.Store
	Shares     *shares.Shares
	Clock      *cluster.Clock
	Keys       *seal.Keys
	Log        *slog.Logger
	Limits     caller.Limits
	Policy     caller.Policy
	Hasher     *guess.Hasher
	Challenges *challenge.Challenges
	Outbox     *outbox.Outbox
	Accounts   *account.Accounts
	Domains    *domain.Domains
	Receipts   *receipt.Receipts
	Files      *file.Files
	// Leases says how long claims on files last.
	Leases  claim.Leases
	Watches *watch.Watches
	Usage   *quota.Usage
	// Cost is the cost of hashing a passphrase; zero means the defaults of seal.
	Cost seal.PassphraseParams
}

// Services are the services of this package.
type Services struct {
	Secrets *Secrets
	Burns   *Burns
	Sweeper *Sweeper
	Claims  *claim.Claims
}

// Secrets conceals, shows and reveals secrets. It is safe for concurrent use.
type Secrets struct {
	store      cluster.Store
	shares     *shares.Shares
	clock      *cluster.Clock
	keys       *seal.Keys
	log        *slog.Logger
	looks      receipt.RecentLooks
	secretKeys seal.SecretKeys
	limits     caller.Limits
	policy     caller.Policy
	hasher     *guess.Hasher
	cost       seal.PassphraseParams
	challenges *challenge.Challenges
	outbox     *outbox.Outbox
	accounts   *account.Accounts
	domains    *domain.Domains
	receipts   *receipt.Receipts
	files      *file.Files
	usage      *quota.Usage
	watches    *watch.Watches
	claims     *claim.Claims
}

// Burns ends secrets unread. It is safe for concurrent use.
type Burns struct {
	store    cluster.Store
	clock    *cluster.Clock
	secrets  *Secrets
	receipts *receipt.Receipts
}

// Sweeper ends expired secrets and recounts quotas after a start.
type Sweeper struct {
	store   cluster.Store
	shares  *shares.Shares
	clock   *cluster.Clock
	log     *slog.Logger
	outbox  *outbox.Outbox
	secrets *Secrets
	claims  *claim.Claims
	usage   *quota.Usage
}

// New returns the services on a store.
func New(o Options) Services {
	claims := claim.New(claim.Options{
		Store: o.Store, Shares: o.Shares, Clock: o.Clock, Keys: o.Keys, Log: o.Log, Usage: o.Usage, Watches: o.Watches,
		Files: o.Files, Leases: o.Leases,
	})
	secrets := &Secrets{
		store: o.Store, shares: o.Shares, clock: o.Clock, keys: o.Keys, log: o.Log,
		secretKeys: o.Keys.SecretKeys(), limits: o.Limits, policy: o.Policy,
		hasher: o.Hasher, cost: o.Cost, challenges: o.Challenges, outbox: o.Outbox, accounts: o.Accounts, domains: o.Domains,
		receipts: o.Receipts, files: o.Files, usage: o.Usage, watches: o.Watches, claims: claims,
	}
	burns := &Burns{store: o.Store, clock: o.Clock, secrets: secrets, receipts: o.Receipts}
	sweeper := &Sweeper{
		store: o.Store, shares: o.Shares, clock: o.Clock, log: o.Log, outbox: o.Outbox, secrets: secrets,
		claims: claims, usage: o.Usage,
	}
	return Services{secrets, burns, sweeper, claims}
}
