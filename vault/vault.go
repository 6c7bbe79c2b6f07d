// Package vault is the product: it conceals secrets, reveals each of them at
// most once, burns and forgets them, and says what became of them. Every rule
// of Hush lives here and only here; what is below keeps bytes, what is above
// carries them.
//
// A secret and its metadata are one aggregate. Whatever moves it does so in
// one transaction together with its audit row, and whatever ends it destroys
// the share that its key is made of before anybody hears of the end. Nothing
// slow runs inside a transaction, and the clock is read once an operation.
package vault

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"hush/crash"
	"hush/seal"
	"hush/storage"
)

// The buckets, and what they hold.
const (
	bucketSecret   = "secret"   // row key of the secret's token -> secretRecord
	bucketMetadata = "metadata" // row key of the metadata's token -> metadataRecord
	bucketExpiry   = "expiry"   // time in ms (8) ‖ metadata row (22) -> nothing
	bucketAttempt  = "attempt"  // secret row (22) ‖ 'n' network (8) or 'g' -> attemptRecord
	bucketShred    = "shred"    // slot number (8) -> generation (8)
	bucketAudit    = "audit"    // sequence number (8) -> auditRecord
	bucketPlace    = "place"    // folded name -> placeRecord
	bucketSystem   = "system"   // verifier, clock, audit sequence, counters

	bucketAccount   = "account"   // account id -> accountRecord
	bucketAddress   = "address"   // seal.Keys.AddressID -> account id
	bucketTally     = "tally"     // account id -> tallyRecord
	bucketPair      = "pair"      // account id ‖ pair id (8) -> pairRecord
	bucketSession   = "session"   // seal.SessionID.Row -> sessionRecord
	bucketSessions  = "sessions"  // account id ‖ ^created (8) ‖ id (8) -> the session's row
	bucketToken     = "token"     // seal.APIToken.Row -> tokenRecord
	bucketTokens    = "tokens"    // account id ‖ created (8) ‖ id (8) -> the token's row
	bucketTicket    = "ticket"    // row key of a mailed token or an invite -> ticketRecord
	bucketTries     = "tries"     // address id ‖ what is counted -> attemptRecord; see triesKey
	bucketEntry     = "entry"     // account id ‖ ^created (8) ‖ ^number (4) ‖ metadata row (22) -> entryRecord
	bucketTimeline  = "timeline"  // metadata row -> timelineRecord
	bucketDue       = "due"       // what ends when; see dueKey
	bucketDomain    = "domain"    // account id ‖ name -> domainRecord
	bucketDomainID  = "domain id" // domain id -> account id ‖ name
	bucketVerified  = "verified"  // name -> account id: whose the domain is
	bucketRecheck   = "recheck"   // time in ms (8) ‖ account id ‖ name -> nothing
	bucketImage     = "image"     // domain id ‖ kind (1) -> imageRecord
	bucketSpent     = "spent"     // SHA-256 of a solved challenge or of a verdict's signature -> nothing
	bucketPace      = "pace"      // start of a window in ms (8) ‖ network (8) -> paceRecord
	bucketFeedback  = "feedback"  // ^sequence number (8) -> feedbackRecord
	bucketException = "exception" // ^sequence number (8) -> exceptionRecord
	bucketOutbox    = "outbox"    // time in ms (8) ‖ id (8) -> mailRecord
	bucketDelivery  = "delivery"  // metadata row ‖ number (1) -> deliveryRecord
)

// Options is what a vault is made of. Store, Shares, Keys, Now and Log are
// required.
type Options struct {
	// Store and Shares belong together; the vault does not close them.
	Store  storage.Store
	Shares storage.Shares
	// Keys are derived from the root key that the store was created with.
	Keys *seal.Keys
	// Now is the one clock.
	Now func() time.Time
	// Log gets what an operator should know; never anything of a secret.
	Log *slog.Logger
	// Limits bound what callers may keep; zero fields mean the defaults.
	Limits Limits
	// Host is the service's own host name, which is no share domain.
	Host string
	// HasRoom tells whether the disk may take more; nil means always.
	HasRoom func() bool
	// Policy is what the operator allows.
	Policy Policy
	// Passwords is what hashing a password costs; zero means the defaults of
	// seal. For tests.
	Passwords seal.PasswordParams
	// Send delivers one mail, or says why not: an error that is ErrUndeliverable
	// is final, after any other the mail is tried again. Nil means that no mail
	// is set up: addresses are not confirmed then, and recipients not written
	// to.
	Send func(ctx context.Context, m Mail) error
	// Resolver asks DNS; without one no domain can be verified.
	Resolver Resolver
	// SpamKey is the HMAC key of the ALTCHA server whose verdicts are believed;
	// empty for none.
	SpamKey string
	// AuditKeep is how long rows of the audit trail are kept; zero means the
	// default of that name.
	AuditKeep time.Duration
	// Manual leaves sweeping and the background pass to the caller, who calls
	// Sweep and Reclaim, and keeps no shares ready. For tests.
	Manual bool
}

// Vault holds the secrets. It is safe for concurrent use.
type Vault struct {
	store  store
	shares storage.Shares
	keys   *seal.Keys
	log    *slog.Logger
	limits Limits
	host   string
	room   func() bool

	auditKeep time.Duration
	policy    Policy
	passwords seal.PasswordParams
	send      func(ctx context.Context, m Mail) error
	resolver  Resolver
	spamKey   string

	clock   *clock
	hasher  *hasher
	usage   *usage
	striker *striker
	pool    *sharePool
	looks   *looks
	mails   chan struct{} // tells the sender of a mail that was queued
	uses    *uses
	images  *imager
	watches *watches
	places  map[string]Place // built in, by key

	sweeping sync.Mutex
	overdue  map[storage.Slot]struct{} // listed at the last sweep; under sweeping

	stop context.CancelFunc
	done sync.WaitGroup
}

// Init returns what a new store is seeded with: the verifier that makes a
// wrong root key stop every later start, and the clock's first mark.
func Init(keys *seal.Keys, now time.Time) func(storage.Tx) error {
	return func(tx storage.Tx) error {
		if err := tx.Put(bucketSystem, []byte(systemVerifier), keys.Verifier()); err != nil {
			return fmt.Errorf("writing the verifier: %w", err)
		}
		return putMark(tx, now)
	}
}

// Open checks that the keys are those of the store, destroys the shares that a
// crash left listed, and starts the background work. It returns
// seal.ErrWrongRootKey before anything is changed if the keys are others.
func Open(ctx context.Context, opts Options) (*Vault, error) {
	v := &Vault{
		store: store{opts.Store}, shares: opts.Shares, keys: opts.Keys, log: opts.Log,
		limits: opts.Limits.withDefaults(), host: opts.Host, room: opts.HasRoom, auditKeep: or(opts.AuditKeep, AuditKeep),
		policy: opts.Policy, passwords: opts.Passwords, send: opts.Send, resolver: opts.Resolver, spamKey: opts.SpamKey,
		hasher: newHasher(), usage: newUsage(), places: byKey(builtInPlaces()), looks: newLooks(), mails: make(chan struct{}, 1), uses: newUses(), images: newImager(), watches: newWatches(),
	}
	mark, err := v.check(ctx)
	if err != nil {
		return nil, err
	}
	v.clock = newClock(opts.Now, mark)
	if err := v.shredListed(ctx); err != nil {
		return nil, fmt.Errorf("destroying what the last run left: %w", err)
	}
	v.start(opts.Manual)
	return v, nil
}

// Close ends the background work. Operations must have ended before.
func (v *Vault) Close() {
	v.stop()
	v.done.Wait()
}

func (v *Vault) start(manual bool) {
	ctx, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.striker = newStriker(v)
	v.background(func() { v.striker.run(ctx) })
	v.pool = newSharePool(v.shares, v.log)
	if manual {
		return
	}
	v.background(func() {
		// The pool is filled from the slots that the pass finds, not by making
		// the file longer with each start.
		v.reclaimOnce(ctx)
		v.pool.fill(ctx)
	})
	v.background(func() { v.sweepUntil(ctx) })
	v.background(func() { v.postUntil(ctx) })
	v.background(func() { v.recheckUntil(ctx) })
}

func (v *Vault) background(work func()) { crash.Go(&v.done, v.log, work) }

// check compares the stored verifier and returns the clock's mark.
func (v *Vault) check(ctx context.Context) (mark time.Time, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		stored, err := tx.Get(bucketSystem, []byte(systemVerifier))
		if err != nil {
			return fmt.Errorf("reading the verifier: %w", err)
		}
		if err := v.keys.Verify(stored); err != nil {
			return err
		}
		mark, err = getMark(tx)
		return err
	})
	return mark, err
}
