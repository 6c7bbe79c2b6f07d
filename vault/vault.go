// Package vault is the core of Hush. It conceals secrets, reveals each of them
// at most once, burns and expires them, and keeps their receipts. It and the
// packages below it hold every rule of Hush; the storage below only stores
// bytes, and the layers above only transport them.
//
// A secret and its metadata are one aggregate. Every move happens in one
// transaction together with its audit row. Every end destroys the share, which
// the key depends on, before the end is reported to anyone. Nothing slow runs
// inside a transaction, and each operation reads the clock once.
package vault

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"hush/crash"
	"hush/seal"
	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/budget"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/file"
	"hush/vault/guess"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/place"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/rootkey"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/shares"
	"hush/vault/signup"
	"hush/vault/spent"
	"hush/vault/sweep"
	"hush/vault/upload"
	"hush/vault/watch"
)

// Options are the dependencies of a vault. Store, Shares, Keys, Now and Log are
// required.
type Options struct {
	// Store and Shares belong together; the vault does not close them.
	Store  storage.Store
	Shares storage.Shares
	// Blobs keeps the contents of files; nil where none are taken. The vault does not close
	// it.
	Blobs storage.Blobs
	// Leases says how long claims on files last; zero fields mean the defaults.
	Leases claim.Leases
	// Keys are derived from the root key that the store was created with.
	Keys *seal.Keys
	// KeyFile is the file of the root keys; nil if they cannot be changed.
	KeyFile rootkey.File
	// Now is the one clock.
	Now func() time.Time
	// Log receives what an operator should know; never anything of a secret.
	Log *slog.Logger
	// Limits bound what callers may store; zero fields mean the defaults.
	Limits caller.Limits
	// Host is the service's own host name, which cannot be a custom domain.
	Host string
	// HasDiskSpace reports whether the disk may take more; nil means always.
	HasDiskSpace func() bool
	// Policy is what the operator allows.
	Policy caller.Policy
	// Passwords is the cost of hashing a password; zero means the defaults of
	// seal. For tests.
	Passwords seal.PasswordParams
	// Passphrases is the cost of hashing the passphrase of a new secret; zero means
	// the defaults of seal. For tests: no command sets it.
	Passphrases seal.PassphraseParams
	// Send delivers one mail or returns an error. ErrUndeliverable is final;
	// after any other error the mail is tried again. Nil means that mail is not
	// configured: addresses are not confirmed, and recipients not written to.
	Send func(ctx context.Context, m outbox.Mail) error
	// Resolver queries DNS; without one no domain can be verified.
	Resolver domain.Resolver
	// SpamKey is the HMAC key of the trusted ALTCHA server; empty for none.
	SpamKey string
	// AuditKeep is how long rows of the audit trail are kept; zero means
	// audit.Keep.
	AuditKeep time.Duration
	// Node says that other processes may share the store, and describes this
	// one to the operator; nil means that the store is this process's alone. A
	// store that has a clock requires it.
	Node *cluster.NodeOptions
	// SpentLog gets what ends. It is the one that the store uses; see package
	// spent. The vault does not close it. Nil for a store that uses none.
	SpentLog *spentlog.Log
	// Observer is told what the background does, for metrics; nil for nothing.
	Observer Observer
	// Manual leaves sweeping, heartbeats and the background pass to the caller,
	// who calls Sweep, Beat and Reclaim, and keeps no shares ready. For tests.
	Manual bool
	// ReadyShares keeps shares ready although the vault is Manual. For measurements.
	ReadyShares bool

	restored bool // see OpenRestored
}

// Vault holds the secrets. Its fields are its services. They are safe for
// concurrent use and set by Open.
type Vault struct {
	Places      place.Places
	Budgets     *budget.Stored // nil unless several nodes share the store
	Challenges  *challenge.Challenges
	Inbox       *feedback.Inbox
	Outbox      *outbox.Outbox
	Credentials *credential.Credentials
	Accounts    *account.Accounts
	Passwords   *password.Passwords
	SignUps     *signup.SignUps
	// Administration is for colonels.
	Administration Administration
	Sessions       *session.Sessions
	Tokens         *session.Tokens
	Domains        *domain.Domains
	Checks         *domain.Checks
	Secrets        *secret.Secrets
	Burns          *secret.Burns
	Requests       *request.Requests
	Files          *file.Files
	Uploads        *upload.Uploads
	Receipts       *receipt.Receipts
	Sweeper        *secret.Sweeper
	Claims         *claim.Claims
	Usage          *quota.Usage
	// Ready returns ErrUnavailable while a shared store cannot be reached. A store
	// of its own is always ready.
	Ready   func() error
	Watches *watch.Watches
	// RootKeys changes the root keys of the store.
	RootKeys *rootkey.RootKeys
	Monitor  Monitor

	store   cluster.Store
	shares  *shares.Shares
	spent   *spent.Log // nil if the store uses none
	keys    *seal.Keys
	log     *slog.Logger
	clock   *cluster.Clock
	trail   audit.Trail
	due     *sweep.DueIndex
	limits  caller.Limits
	policy  caller.Policy
	hasher  *guess.Hasher
	notices *cluster.Notices
	watched Observer

	stop context.CancelFunc
	done sync.WaitGroup
}

// Close ends the background work, and frees the number, the leases and the unused
// shares of the node. All operations must have ended.
func (v *Vault) Close() {
	v.stop()
	v.SignUps.Wait()
	v.done.Wait()
	leave(v.store.Node(), v.shares, v.log)
}

func (v *Vault) background(work func()) { crash.Go(&v.done, v.log, work) }
