package vault

import (
	"cmp"
	"context"
	"fmt"
	"time"

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
