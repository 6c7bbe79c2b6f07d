package request

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/cluster"
	"hush/vault/domain"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/watch"
)

// Options are the dependencies of New; all are required.
type Options struct {
	Store      cluster.Store
	Clock      *cluster.Clock
	Keys       *seal.Keys
	Log        *slog.Logger
	Limits     caller.Limits
	Policy     caller.Policy
	Challenges *challenge.Challenges
	Outbox     *outbox.Outbox
	Accounts   *account.Accounts
	Sessions   *session.Sessions
	Domains    *domain.Domains
	Receipts   *receipt.Receipts
	Secrets    *secret.Secrets
	Burns      *secret.Burns
	Usage      *quota.Usage
	Watches    *watch.Watches
}

// Requests keeps requests, and takes and shows answers to them. It is safe for concurrent
// use.
type Requests struct {
	store      cluster.Store
	clock      *cluster.Clock
	keys       *seal.Keys
	log        *slog.Logger
	limits     caller.Limits
	policy     caller.Policy
	challenges *challenge.Challenges
	outbox     *outbox.Outbox
	accounts   *account.Accounts
	sessions   *session.Sessions
	domains    *domain.Domains
	receipts   *receipt.Receipts
	secrets    *secret.Secrets
	burns      *secret.Burns
	usage      *quota.Usage
	watches    *watch.Watches
}

// New returns the requests of a store.
func New(o Options) *Requests {
	return &Requests{
		store: o.Store, clock: o.Clock, keys: o.Keys, log: o.Log, limits: o.Limits, policy: o.Policy, challenges: o.Challenges,
		outbox: o.Outbox, accounts: o.Accounts, sessions: o.Sessions, domains: o.Domains, receipts: o.Receipts,
		secrets: o.Secrets, burns: o.Burns, usage: o.Usage, watches: o.Watches,
	}
}

// State is the state of a request.
type State byte

// The states.
const (
	StateOpen      State = 1
	StateFull      State = 2 // as many answers came as were asked for
	StatePast      State = 3 // its time is over
	StateClosed    State = 4 // by its requester
	StateWithdrawn State = 5 // by an administrator, or its account is disabled
)

// Request is a request as its requester is shown it.
type Request struct {
	// ID names it to its owner's account; empty for others.
	ID      string
	State   State
	Created time.Time
	// Updated is when its last answer came, or it was closed, or was created.
	Updated time.Time
	Expires time.Time
	// TTLLeft is the time left in whole seconds; zero unless it is open.
	TTLLeft   time.Duration
	Forgotten time.Time
	// Answers is how many answers it takes, Answered how many came, and Waiting how many
	// of them wait to be opened.
	Answers, Answered, Waiting int
	ShareDomain                string
	Notifies, ShowsAddress     bool
}

// found is a request as it was read.
type found struct {
	row    seal.RowKey
	record *Record
	tally  answer.Tally
	owner  *account.Record // nil without an account, and for one that is gone
	domain string          // of its link, as it is shown now
}

// read loads a request that is not forgotten and shown on a site, or returns ErrNotFound.
func (re *Requests) read(tx *rows.Tx, c caller.Caller, row seal.RowKey, now time.Time) (f found, err error) {
	f.row = row
	if f.record, f.tally, err = loadKept(tx, row, now); err != nil {
		return found{}, err
	}
	r := f.record
	belongs, err := domain.BelongsOn(tx, re.domains.SiteDomain(c.Site), r.owner, r.shareDomain, r.created)
	if err == nil && !belongs {
		err = refusal.ErrNotFound
	}
	if err != nil {
		return found{}, err
	}
	if f.domain, err = domain.NameShown(tx, r.owner, r.shareDomain, r.created); err != nil {
		return found{}, err
	}
	f.owner, err = ownerOf(tx, r)
	return f, err
}

// ownerOf returns the account that asks; nil for none, and for one that is gone.
func ownerOf(tx *rows.Tx, r *Record) (*account.Record, error) {
	id, ok := caller.ParseAccountID(r.owner)
	if !ok {
		return nil, nil
	}
	owner, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, nil
	}
	return owner, err
}

// isBarred reports whether a request takes no answers because of its account.
func (f *found) isBarred() bool {
	return f.record.owner != "" && (f.owner == nil || !f.owner.Usable())
}

func (f *found) state(now time.Time) State {
	r := f.record
	switch {
	case r.state == storedWithdrawn:
		return StateWithdrawn
	case r.state == storedClosed:
		return StateClosed
	case f.isBarred():
		return StateWithdrawn
	case f.tally.Taken >= r.answers:
		return StateFull
	case !now.Before(r.expires):
		return StatePast
	}
	return StateOpen
}

// show returns the requester's view.
func (f *found) show(c caller.Caller, now time.Time) Request {
	r := f.record
	shown := Request{
		State: f.state(now), Created: r.created, Updated: r.created, Expires: r.expires, Forgotten: r.forgotten(),
		Answers: int(r.answers), Answered: int(f.tally.Taken), Waiting: int(f.tally.Waiting), ShareDomain: f.domain,
		Notifies: r.notifies, ShowsAddress: r.showsAddress,
	}
	for _, at := range []time.Time{f.tally.Last, r.closed} {
		if at.After(shown.Updated) {
			shown.Updated = at
		}
	}
	if shown.State == StateOpen {
		shown.TTLLeft = receipt.TimeLeft(r.expires, now)
	}
	if r.owner != "" && r.owner == c.Account() {
		shown.ID = idOf(f.row)
	}
	return shown
}

// byLink finds the request of a link, or returns ErrNotFound, and ErrLink for a wrong
// proof.
func (re *Requests) byLink(ctx context.Context, c caller.Caller, key string, proof caller.Text, now time.Time) (f found, err error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return found{}, refusal.ErrNotFound
	}
	err = re.store.View(ctx, func(tx *rows.Tx) (err error) {
		f, err = re.read(tx, c, token.RowKey(seal.KindRequest), now)
		return err
	})
	if err == nil && !isProof(proof, f.record.linkProof) {
		err = refusal.ErrLink
	}
	return f, err
}
