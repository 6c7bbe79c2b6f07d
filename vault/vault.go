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
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"hush/crash"
	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/guess"
	"hush/vault/outbox"
	"hush/vault/place"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/shares"
)

// Options are the dependencies of a vault. Store, Shares, Keys, Now and Log are
// required.
type Options struct {
	// Store and Shares belong together; the vault does not close them.
	Store  storage.Store
	Shares storage.Shares
	// Keys are derived from the root key that the store was created with.
	Keys *seal.Keys
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
	// Send delivers one mail or returns an error. ErrUndeliverable is final;
	// after any other error the mail is tried again. Nil means that mail is not
	// configured: addresses are not confirmed, and recipients not written to.
	Send func(ctx context.Context, m outbox.Mail) error
	// Resolver queries DNS; without one no domain can be verified.
	Resolver domain.Resolver
	// SpamKey is the HMAC key of the trusted ALTCHA server; empty for none.
	SpamKey string
	// AuditKeep is how long rows of the audit trail are kept; zero means
	// rows.AuditKeep.
	AuditKeep time.Duration
	// Manual leaves sweeping and the background pass to the caller, who calls
	// Sweep and Reclaim, and keeps no shares ready. For tests.
	Manual bool
}

// Vault holds the secrets. Its fields are its services. They are safe for
// concurrent use and set by Open.
type Vault struct {
	Places      place.Places
	Challenges  *challenge.Challenges
	Inbox       *feedback.Inbox
	Outbox      *outbox.Outbox
	Credentials *credential.Credentials
	Accounts    *account.Accounts
	Passwords   *account.Passwords
	SignUps     *account.SignUps
	Tickets     *account.Tickets
	Sessions    *session.Sessions
	Tokens      *session.Tokens
	Domains     *domain.Domains
	Checks      *domain.Checks
	Secrets     *secret.Secrets
	Burns       *secret.Burns
	Receipts    *secret.Receipts
	Sweeper     *secret.Sweeper

	store  rows.Store
	shares *shares.Shares
	keys   *seal.Keys
	log    *slog.Logger
	clock  *rows.Clock
	trail  rows.Trail
	due    *rows.DueIndex
	limits caller.Limits
	policy caller.Policy
	hasher *guess.Hasher

	stop context.CancelFunc
	done sync.WaitGroup
}

// Init returns the first transaction of a new store. It stores the verifier,
// which makes every later start with a wrong root key fail, and the clock's
// first mark.
func Init(keys *seal.Keys, now time.Time) func(storage.Tx) error {
	return func(tx storage.Tx) error {
		if err := rows.PutSystem(tx, rows.SystemVerifier, keys.Verifier()); err != nil {
			return fmt.Errorf("writing the verifier: %w", err)
		}
		return rows.PutMark(tx, now)
	}
}

// Open checks that the keys match the store, destroys the shares that a crash
// left listed, and starts the background work. If the keys do not match, it
// returns seal.ErrWrongRootKey before it changes anything.
func Open(ctx context.Context, opts Options) (*Vault, error) {
	v := &Vault{
		store: rows.NewStore(opts.Store, opts.HasDiskSpace), keys: opts.Keys, log: opts.Log,
		limits: opts.Limits.WithDefaults(), policy: opts.Policy, hasher: guess.NewHasher(),
	}
	mark, err := v.check(ctx)
	if err != nil {
		return nil, err
	}
	v.clock = rows.NewClock(opts.Now, mark)
	v.shares = shares.New(v.store, opts.Shares, v.log)
	v.trail = rows.NewTrail(v.store, cmp.Or(opts.AuditKeep, rows.AuditKeep))
	v.assemble(opts)
	v.due = rows.NewDueIndex(v.store, v.endings())
	if err := v.shares.ShredListed(ctx); err != nil {
		return nil, fmt.Errorf("destroying shares left by the last run: %w", err)
	}
	v.start(opts.Manual)
	return v, nil
}

// assemble creates the services in the order of their dependencies.
func (v *Vault) assemble(opts Options) {
	watches := secret.NewWatches()
	v.Places = place.NewPlaces(v.store)
	v.Challenges = challenge.New(v.store, v.clock, v.keys, v.policy, opts.SpamKey)
	v.Inbox = feedback.New(v.store, v.clock, v.keys, v.log, v.Challenges)
	v.Outbox = outbox.New(outbox.Options{
		Store: v.store, Shares: v.shares, Keys: v.keys, Clock: v.clock, Log: v.log, Send: opts.Send,
		Wanted: secret.MailWanted, Sent: account.CountEmail,
	})
	v.Credentials = credential.New(v.store, v.clock, v.keys, v.log, watches.TellAccount)
	others := v.others(watches.TellAccount)
	accounts := account.New(account.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Log: v.log, Limits: v.limits, Policy: v.policy, Hasher: v.hasher,
		Challenges: v.Challenges, Outbox: v.Outbox, Credentials: v.Credentials, Others: others, Cost: opts.Passwords,
	})
	v.Accounts, v.Passwords, v.SignUps, v.Tickets = accounts.Accounts, accounts.Passwords, accounts.SignUps, accounts.Tickets
	v.Sessions, v.Tokens = session.New(session.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Accounts: v.Accounts, Passwords: v.Passwords,
		Credentials: v.Credentials, Others: others,
	})
	v.Domains, v.Checks = domain.New(domain.Options{
		Store: v.store, Clock: v.clock, Log: v.log, Outbox: v.Outbox, Accounts: v.Accounts,
		Host: opts.Host, Resolver: opts.Resolver,
	})
	secrets := secret.New(secret.Options{
		Store: v.store, Shares: v.shares, Clock: v.clock, Keys: v.keys, Log: v.log, Limits: v.limits, Policy: v.policy,
		Hasher: v.hasher, Challenges: v.Challenges, Outbox: v.Outbox, Credentials: v.Credentials, Accounts: v.Accounts,
		Sessions: v.Sessions, Domains: v.Domains, Watches: watches,
	})
	v.Secrets, v.Burns, v.Receipts, v.Sweeper = secrets.Secrets, secrets.Burns, secrets.Receipts, secrets.Sweeper
}

// others returns the functions of higher packages that accounts call.
func (v *Vault) others(changed func(caller.AccountID)) account.Others {
	return account.Others{
		EndDomains: func(tx storage.Tx, id caller.AccountID) error { return v.Domains.EndDomains(tx, id) },
		BurnSecrets: func(ctx context.Context, id caller.AccountID, now time.Time) (int, error) {
			return v.Burns.BurnAccount(ctx, id, now)
		},
		CountEntries: secret.CountEntries,
		Changed:      changed,
		Background:   v.background,
	}
}

// Close ends the background work. All operations must have ended.
func (v *Vault) Close() {
	v.stop()
	v.done.Wait()
}

func (v *Vault) start(manual bool) {
	ctx, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.background(func() { v.shares.StrikeUntil(ctx) })
	if manual {
		return
	}
	v.background(func() {
		// The pool takes slots that the pass frees, so that the file does not
		// grow with each start.
		v.Sweeper.ReclaimOnce(ctx)
		v.shares.Fill(ctx)
	})
	v.background(func() { v.sweepUntil(ctx) })
	v.background(func() { v.Outbox.PostUntil(ctx) })
	v.background(func() { v.Checks.RecheckUntil(ctx) })
}

func (v *Vault) background(work func()) { crash.Go(&v.done, v.log, work) }

// check compares the stored verifier and returns the clock's mark.
func (v *Vault) check(ctx context.Context) (mark time.Time, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		stored, err := rows.GetSystem(tx, rows.SystemVerifier)
		if err != nil {
			return fmt.Errorf("reading the verifier: %w", err)
		}
		if err := v.keys.Verify(stored); err != nil {
			return err
		}
		mark, err = rows.GetMark(tx)
		return err
	})
	return mark, err
}
