package vault

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"hush/storage/spentlog"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/budget"
	"hush/vault/challenge"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/file"
	"hush/vault/guess"
	"hush/vault/keylist"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/place"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/rootkey"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/shares"
	"hush/vault/signup"
	"hush/vault/spent"
	"hush/vault/sweep"
	"hush/vault/upload"
	"hush/vault/watch"
)

// Open checks that the keys match the store, destroys the shares that a crash
// left listed, and starts the background work. Before it changes anything, it
// returns seal.ErrWrongRootKey if the keys do not match, cluster.ErrCopied if the
// data is being copied or was moved elsewhere, a cluster.FormatError if a newer
// release wrote it, and an error of package spent unless SpentLog is its log and
// knows of no ends that the store does not. On a shared store it
// returns cluster.ErrClockOff if the machine's clock is wrong, and
// cluster.ErrTooManyNodes if no other node may join.
func Open(ctx context.Context, opts Options) (*Vault, error) {
	v := &Vault{
		store: cluster.NewStore(opts.Store, opts.HasDiskSpace), keys: opts.Keys, log: opts.Log,
		limits: opts.Limits.WithDefaults(), policy: opts.Policy, hasher: guess.NewHasher(),
		watched: opts.Observer,
	}
	v.Monitor = Monitor{v}
	if v.watched == nil {
		v.watched = unobserved{}
	}
	mark, err := v.check(ctx, opts.Node)
	if err != nil {
		return nil, err
	}
	logged, err := checkLog(ctx, v.store, opts.SpentLog)
	if err != nil && (!opts.restored || !errors.Is(err, spent.ErrMissing)) {
		return nil, err
	}
	v.clock = cluster.NewClock(opts.Now, mark)
	if err := v.join(ctx, opts); err != nil {
		return nil, err
	}
	v.Ready = v.store.Node().Ready
	v.spent = spent.New(spent.Options{
		Store: v.store, Clock: v.clock, Log: v.log, File: opts.SpentLog, Record: logged,
		Longest: max(v.limits.AnonymousTTL, v.limits.AccountTTL),
	})
	if v.spent != nil {
		v.store = v.store.WithEnds(v.spent)
	}
	v.shares = shares.New(v.store, opts.Shares, v.keys, v.log, v.spent)
	v.trail = audit.NewTrail(v.store, cmp.Or(opts.AuditKeep, audit.Keep))
	v.assemble(opts)
	v.due = sweep.NewDueIndex(v.store, v.endings())
	if err := v.catchUp(ctx); err != nil {
		leave(v.store.Node(), v.shares, v.log)
		return nil, err
	}
	v.start(opts)
	return v, nil
}

// OpenRestored opens a store that was made out of a backup and is not served yet, for what
// must end in it first. The log that the backup names is not in use, no mail is sent, blobs
// stay until it is served, and nothing runs in the background but what ends with Close.
func OpenRestored(ctx context.Context, opts Options) (*Vault, error) {
	opts.Manual, opts.Send, opts.SpentLog, opts.Blobs, opts.restored = true, nil, nil, nil, true
	return Open(ctx, opts)
}

// catchUp does what must precede the first request.
func (v *Vault) catchUp(ctx context.Context) error {
	if err := v.Sweeper.Begin(ctx); err != nil {
		return fmt.Errorf("counting stored bytes: %w", err)
	}
	if err := v.shares.ShredListed(ctx); err != nil {
		return fmt.Errorf("destroying shares left by the last run: %w", err)
	}
	if err := v.Claims.Begin(ctx); err != nil {
		return fmt.Errorf("ending claims left by the last run: %w", err)
	}
	if err := v.Files.Begin(ctx); err != nil {
		return fmt.Errorf("looking for blobs that no file names: %w", err)
	}
	if err := v.spent.LogPending(ctx); err != nil && !spent.IsFull(err) {
		return fmt.Errorf("logging ends left by the last run: %w", err)
	}
	return nil
}

// assemble creates the services in the order of their dependencies.
func (v *Vault) assemble(opts Options) {
	notices := cluster.NewNotices(v.store, v.keys)
	v.notices, v.Watches = notices, watch.NewWatches(v.store, v.clock, notices)
	v.RootKeys = rootkey.New(rootkey.Options{Store: v.store, Clock: v.clock, Keys: v.keys, Log: v.log, File: opts.KeyFile})
	v.Places = place.NewPlaces(v.store)
	if v.store.Node() != nil {
		v.Budgets = budget.NewStored(v.store, v.clock, v.keys)
	}
	v.Challenges = challenge.New(v.store, v.clock, v.keys, v.policy, opts.SpamKey)
	v.Inbox = feedback.New(v.store, v.clock, v.keys, v.log, v.Challenges)
	v.Outbox = outbox.New(outbox.Options{
		Store: v.store, Shares: v.shares, Keys: v.keys, Clock: v.clock, Log: v.log, Send: opts.Send,
		Wanted: receipt.MailWanted, Sent: account.CountEmail, Notices: notices, Tried: v.watched.Mailed,
	})
	v.Credentials = credential.New(v.store, v.clock, v.keys, v.log, v.Watches)
	v.Accounts = account.New(account.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Log: v.log, Limits: v.limits, Policy: v.policy,
		Credentials: v.Credentials, Watches: v.Watches,
	})
	v.Passwords = password.New(password.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Hasher: v.hasher, Credentials: v.Credentials, Accounts: v.Accounts,
		Watches: v.Watches, Cost: opts.Passwords,
	})
	v.SignUps = signup.New(signup.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Log: v.log, Policy: v.policy, Challenges: v.Challenges,
		Outbox: v.Outbox, Credentials: v.Credentials, Accounts: v.Accounts, Passwords: v.Passwords,
	})
	v.Administration = Administration{v}
	v.Sessions, v.Tokens = session.New(session.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Accounts: v.Accounts, Passwords: v.Passwords,
		Credentials: v.Credentials, Watches: v.Watches,
	})
	v.Domains, v.Checks = domain.New(domain.Options{
		Store: v.store, Clock: v.clock, Log: v.log, Outbox: v.Outbox, Accounts: v.Accounts,
		Host: opts.Host, Resolver: opts.Resolver,
	})
	v.Usage = quota.New(v.store, v.clock)
	v.Files = file.New(file.Options{Store: v.store, Shares: v.shares, Clock: v.clock, Keys: v.keys, Log: v.log, Blobs: opts.Blobs})
	v.Receipts = receipt.New(receipt.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Log: v.log, Limits: v.limits, Accounts: v.Accounts,
		Sessions: v.Sessions, Credentials: v.Credentials, Usage: v.Usage, Watches: v.Watches,
	})
	secrets := secret.New(secret.Options{
		Store: v.store, Shares: v.shares, Clock: v.clock, Keys: v.keys, Log: v.log, Limits: v.limits, Policy: v.policy,
		Hasher: v.hasher, Challenges: v.Challenges, Outbox: v.Outbox, Accounts: v.Accounts, Domains: v.Domains,
		Receipts: v.Receipts, Files: v.Files, Leases: opts.Leases, Watches: v.Watches, Usage: v.Usage, Cost: opts.Passphrases,
	})
	v.Secrets = secrets.Secrets
	v.Burns = secrets.Burns
	v.Sweeper = secrets.Sweeper
	v.Claims = secrets.Claims
	v.Uploads = upload.New(upload.Options{Log: v.log, Clock: v.clock, Files: v.Files, Secrets: v.Secrets, Burns: v.Burns, Watches: v.Watches})
	v.Requests = request.New(request.Options{
		Store: v.store, Clock: v.clock, Keys: v.keys, Log: v.log, Limits: v.limits, Policy: v.policy, Challenges: v.Challenges,
		Outbox: v.Outbox, Accounts: v.Accounts, Sessions: v.Sessions, Domains: v.Domains, Receipts: v.Receipts,
		Secrets: v.Secrets, Burns: v.Burns, Usage: v.Usage, Watches: v.Watches,
	})
}

func (v *Vault) start(opts Options) {
	ctx, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.background(func() { v.shares.StrikeUntil(ctx) })
	v.background(func() { v.spent.StrikeUntil(ctx) })
	v.background(func() { v.notices.ListenUntil(ctx, heed(v.Watches, v.Outbox.Bell, v.log)) })
	if opts.Manual {
		if opts.ReadyShares {
			v.background(func() { v.shares.Fill(ctx) })
		}
		return
	}
	if node := v.store.Node(); node != nil {
		v.background(func() { node.BeatUntil(ctx) })
		v.background(func() { v.Watches.PollUntil(ctx, v.log) })
		v.background(func() { v.Sweeper.CountUntil(ctx) })
		v.background(func() { v.shares.Fill(ctx) })
	} else {
		v.background(func() {
			// The pool takes slots that the pass frees, so that the file does
			// not grow with each start.
			v.Sweeper.ReclaimOnce(ctx)
			v.shares.Fill(ctx)
		})
	}
	v.background(func() { v.Claims.LapseUntil(ctx) })
	v.background(func() { v.Files.RemoveUntil(ctx) })
	v.background(func() { v.Uploads.EndUntil(ctx) })
	v.background(func() { v.sweepUntil(ctx) })
	v.background(func() { v.Outbox.PostUntil(ctx) })
	v.background(func() { v.Checks.RecheckUntil(ctx) })
	v.background(func() { v.RootKeys.ResealUntil(ctx) })
}

// check compares the stored format and root keys, makes the keys seal and open as
// the store says, and returns the clock's mark.
func (v *Vault) check(ctx context.Context, node *cluster.NodeOptions) (mark time.Time, err error) {
	var unlisted [][4]byte
	err = v.store.View(ctx, func(tx *rows.Tx) error {
		if err := node.CheckFormat(tx); err != nil {
			return err // before a newer verifier is taken for a wrong one
		}
		if err := verify(tx, v.keys); err != nil {
			return err
		}
		if unlisted, err = keylist.UnlistedRootKeys(tx, v.keys); err != nil {
			return err
		}
		mark, err = cluster.GetMark(tx)
		return err
	})
	for _, kid := range unlisted {
		v.log.Info("the root key file has a key that is not in use yet; \"hush admin keys rotate\" makes it the current one", "key", hex.EncodeToString(kid[:]))
	}
	return mark, err
}

// checkLog compares the spent log with what the store knows of it, and returns that.
// A store that is an earlier copy is refused: what has ended since would come back.
func checkLog(ctx context.Context, store cluster.Store, log *spentlog.Log) (logged spent.Record, err error) {
	err = store.View(ctx, func(tx *rows.Tx) error {
		if logged, err = spent.Check(tx, log); err != nil || log == nil {
			return err
		}
		return spent.CheckAge(tx, log, logged, shares.IsListed)
	})
	return logged, err
}
