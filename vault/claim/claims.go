package claim

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/file"
	"hush/vault/quota"
	"hush/vault/shares"
	"hush/vault/watch"
)

const (
	// Lifetime is how long a claim lasts whose reader is silent.
	Lifetime = 120 * time.Second
	// Longest is how long a claim lasts at most, since it was made.
	Longest = time.Hour
	// ExtendEvery is the least time between two extensions of a claim.
	ExtendEvery = 30 * time.Second
)

// maxSkew is how far the clocks of nodes may be apart, and how far one may have been
// set back before a start: a claim that was just made may seem to be due that much later.
const maxSkew = 5 * time.Second

// Options are the dependencies of New; all are required.
type Options struct {
	Store   cluster.Store
	Shares  *shares.Shares
	Clock   *cluster.Clock
	Keys    *seal.Keys
	Log     *slog.Logger
	Usage   *quota.Usage
	Watches *watch.Watches
	Files   *file.Files
	// Leases says how long claims on files last.
	Leases Leases
}

// Claims keeps claims. It is safe for concurrent use.
type Claims struct {
	store      cluster.Store
	shares     *shares.Shares
	clock      *cluster.Clock
	keys       *seal.Keys
	secretKeys seal.SecretKeys
	log        *slog.Logger
	usage      *quota.Usage
	watches    *watch.Watches
	files      *file.Files
	fileLease  lease

	mu    sync.Mutex
	known map[seal.RowKey]*known
	turns map[seal.RowKey]*turn
	left  map[seal.RowKey]leftover
}

// New returns the claims of a store.
func New(o Options) *Claims {
	return &Claims{
		store: o.Store, shares: o.Shares, clock: o.Clock, keys: o.Keys, secretKeys: o.Keys.SecretKeys(), log: o.Log,
		usage: o.Usage, watches: o.Watches, files: o.Files, fileLease: o.Leases.lease(), known: map[seal.RowKey]*known{}, turns: map[seal.RowKey]*turn{}, left: map[seal.RowKey]leftover{},
	}
}

// known is a claim that this process has seen.
type known struct {
	deadline time.Time
	age      func() time.Duration // since this process first saw it
	until    time.Duration        // the age at which it ends at the latest
	lease    lease
	spent    bool    // the share of the secret is known to be destroyed
	fetched  fetched // parts of a file
	ofFile   bool
}

// timeLeft returns how long a claim still lasts, in whole milliseconds; 0 if it is
// due.
func (k *known) timeLeft(now time.Time) time.Duration { return k.leftAt(now, k.age()) }

func (k *known) leftAt(now time.Time, age time.Duration) time.Duration {
	return max(0, min(k.deadline.Sub(now), k.until-age)).Truncate(time.Millisecond)
}

// newKnown returns what is known of a claim that this process sees for the first time.
func newKnown(deadline time.Time, l lease, age func() time.Duration) *known {
	return &known{deadline: deadline, age: age, until: l.silence, lease: l}
}

// moveTo notes the deadline that a claim is seen with. A later one than before was
// written since.
func (k *known) moveTo(deadline time.Time) {
	if deadline.After(k.deadline) {
		k.deadline, k.until = deadline, min(k.age()+k.lease.silence, k.lease.longest)
	}
}

// look returns how long a claim still lasts, and whether it is time to extend it by what
// passed in this process since it saw the last deadline.
func (k *known) look(now time.Time) (left time.Duration, waited bool) {
	age := k.age() // once, or the two would be of two moments
	return k.leftAt(now, age), k.until < k.lease.longest && k.until-age <= k.lease.silence-ExtendEvery
}

// leftover is a share that could not be destroyed when its claim ended.
type leftover struct {
	slot  storage.Slot
	check [32]byte
}

// Live returns the number of claims that this process knows of: on a store of
// several nodes, those of others after a while.
func (cl *Claims) Live() int {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return len(cl.known)
}

// LiveOnFiles returns how many of the claims that Live counts are on files.
func (cl *Claims) LiveOnFiles() (live int) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	for _, k := range cl.known {
		if k.ofFile {
			live++
		}
	}
	return live
}

// timeLeft returns how long a claim still lasts; 0 if it is due.
func (cl *Claims) timeLeft(k *known, now time.Time) time.Duration {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return k.timeLeft(now)
}

func (cl *Claims) look(k *known, now time.Time) (left time.Duration, waited bool) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return k.look(now)
}

// see remembers a claim with its deadline, and returns what is known of it. A row
// never has a second one.
func (cl *Claims) see(row seal.RowKey, r *Record, age func() time.Duration) *known {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	k := cl.known[row]
	if k == nil {
		k = newKnown(r.deadline, r.lease, age)
		k.ofFile = r.ofFile
		cl.known[row] = k
	}
	k.moveTo(r.deadline)
	return k
}

func (cl *Claims) forget(row seal.RowKey) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	delete(cl.known, row)
}

// putOff makes a claim that cannot be read due later.
func (cl *Claims) putOff(row seal.RowKey, until time.Time) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.known[row] = newKnown(until, textLease(), cl.clock.Stopwatch())
}

// isSpent reports whether the share of a claim's secret is known to be destroyed.
func (cl *Claims) isSpent(k *known) bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return k.spent
}

// turn is held by the call that binds a secret to a claim, until the secret's
// share is destroyed, and by those that show the content. It is a semaphore and not a
// mutex, because a caller that waits may leave.
type turn struct {
	held  *semaphore.Weighted // by one call, or by some that read parts of a file
	calls int                 // that hold it or wait for it
}

// wholeTurn is what a call takes that others may not run beside.
const wholeTurn = 64

// take waits for the turn of a row. waited reports whether another call had it.
func (cl *Claims) take(ctx context.Context, row seal.RowKey) (give func(), waited bool, err error) {
	return cl.takePart(ctx, row, wholeTurn)
}

// takePart is take for a call that others with small parts of the turn may run beside.
func (cl *Claims) takePart(ctx context.Context, row seal.RowKey, part int64) (give func(), waited bool, err error) {
	cl.mu.Lock()
	t := cl.turns[row]
	if t == nil {
		t = &turn{held: semaphore.NewWeighted(wholeTurn)}
		cl.turns[row] = t
	}
	t.calls++
	waited = t.calls > 1
	cl.mu.Unlock()
	leave := func() {
		cl.mu.Lock()
		defer cl.mu.Unlock()
		if t.calls--; t.calls == 0 {
			delete(cl.turns, row)
		}
	}
	if err := t.held.Acquire(ctx, part); err != nil {
		leave()
		return nil, waited, err
	}
	return sync.OnceFunc(func() { t.held.Release(part); leave() }), waited, nil
}
