package vault_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// mustNodes returns the nodes as a kit sees them.
func mustNodes(t *testing.T, k *vaulttest.Kit) []cluster.NodeStatus {
	t.Helper()
	nodes, err := k.Vault.Nodes(t.Context())
	vaulttest.Want(t, "Nodes()", err, nil)
	return nodes
}

// nodeNumbers returns the numbers that nodes have, by name.
func nodeNumbers(t *testing.T, k *vaulttest.Kit) map[string]int {
	t.Helper()
	numbers := map[string]int{}
	for _, n := range mustNodes(t, k) {
		numbers[n.Name] = int(n.Number)
	}
	return numbers
}

// mustBeat sends a heartbeat of each kit.
func mustBeat(t *testing.T, kits ...*vaulttest.Kit) {
	t.Helper()
	for _, k := range kits {
		vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
	}
}

// advance moves the clocks of kits, which send their heartbeats meanwhile.
func advance(t *testing.T, d time.Duration, kits ...*vaulttest.Kit) {
	t.Helper()
	for _, k := range kits {
		k.Clock.Advance(d)
	}
	mustBeat(t, kits...)
}

func secretsIn(t *testing.T, c *vaulttest.Cluster) int {
	t.Helper()
	return len(vaulttest.RowsIn(t, c.Store, secret.BucketSecret))
}

func countsOf(t *testing.T, s storage.Store) (counts counter.Counts, trail int64) {
	t.Helper()
	err := s.View(t.Context(), func(tx storage.Tx) (err error) {
		if trail, err = audit.Rows(tx); err != nil {
			return err
		}
		counts, err = counter.Get(tx)
		return err
	})
	vaulttest.Want(t, "GetCounts()", err, nil)
	return counts, trail
}

// What begins on one node ends on another. Each counts in a row of its own, and
// the trail is one by time.
func TestNodesCountTogether(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := c.Node(t, "a", vaulttest.Options{Manual: true})
	b := c.Node(t, "b", vaulttest.Options{Manual: true})
	for range 2 {
		kept := a.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		advance(t, time.Second, a, b)
		vaulttest.Want(t, "RevealSecret(key)", b.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
		advance(t, time.Second, a, b)
	}
	a.MustConceal(t, caller.Caller{}, "y", secret.Terms{TTL: new(time.Minute)})
	a.MustConceal(t, caller.Caller{}, "z", secret.Terms{})
	advance(t, time.Minute, a, b)
	b.MustSweep(t)

	counts, trail := countsOf(t, c.Store)
	vaulttest.Want(t, "secrets", counts[counter.Secrets], 1)
	vaulttest.Want(t, "created", counts[counter.Created], 4)
	vaulttest.Want(t, "expired", counts[counter.Expired], 1)
	vaulttest.Want(t, "rows of the trail", trail, 7)
	own, err := counter.Decode(vaulttest.Get(t, c.Store, rows.BucketSystem, []byte(counter.SystemCounts+" 0001")))
	vaulttest.Want(t, "DecodeCounts(node 1)", err, nil)
	vaulttest.Want(t, "secrets of node 1", own[counter.Secrets], -3)

	var lost rows.Damage
	type place struct {
		node   uint16
		number uint64
		kind   audit.Type
	}
	var places []place
	err = c.Store.View(t.Context(), func(tx storage.Tx) error {
		places = nil
		return audit.Range(tx, &lost, func(r audit.Row) error {
			places = append(places, place{r.Node, r.Number, r.Kind})
			return nil
		})
	})
	vaulttest.Want(t, "RangeAudit()", err, nil)
	want := []place{
		{0, 1, audit.Conceal}, {1, 1, audit.Reveal}, {0, 2, audit.Conceal}, {1, 2, audit.Reveal},
		{0, 3, audit.Conceal}, {0, 4, audit.Conceal}, {1, 3, audit.Expire},
	}
	if !slices.Equal(places, want) {
		t.Errorf("RangeAudit(): got %v, want %v", places, want)
	}
}

// Old rows of every node go, whichever node sweeps.
func TestAuditOfNodesIsPruned(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true, AuditKeep: 30 * time.Minute}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	for _, k := range []*vaulttest.Kit{a, b, b} {
		k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	}
	advance(t, 31*time.Minute, a, b)
	b.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	a.MustSweep(t)
	_, trail := countsOf(t, c.Store)
	vaulttest.Want(t, "rows of the trail", trail, 1)
	vaulttest.Want(t, "rows in the store", len(vaulttest.RowsIn(t, c.Store, audit.BucketAudit)), 1)
}

// A node that leaves frees its number at once. One that is paused keeps it until
// its heartbeat is old; when it returns, it writes nothing until it has another.
func TestPausedNodeStopsWriting(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	b.Close(t)
	b = c.Node(t, "b2", opts)
	advance(t, 20*time.Minute-time.Second, b)
	opts.Start = b.Clock.Now()
	d := c.Node(t, "d", opts)
	if got := nodeNumbers(t, d); got["a"] != 0 || got["b2"] != 1 || got["d"] != 2 {
		t.Fatalf("Nodes(): got %v, want a 0, b2 1, d 2", got)
	}
	advance(t, time.Second, b, d)
	opts.Start = b.Clock.Now()
	e := c.Node(t, "e", opts)
	vaulttest.Want(t, "number of the paused node has another", nodeNumbers(t, e)["e"], 0)

	a.Clock.Advance(20 * time.Minute)
	_, err := a.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(paused node)", err, cluster.ErrNodeLost)
	vaulttest.WantErr(t, "ConcealSecret(paused node)", err, refusal.ErrUnavailable)
	vaulttest.Want(t, "secrets", secretsIn(t, c), 0)
	mustBeat(t, a)
	vaulttest.Want(t, "new number", nodeNumbers(t, a)["a"], 3)
	kept := a.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(key)", e.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
}

// One node sweeps. Another takes over when its lease has ended, and at once when
// it leaves.
func TestSweepIsTakenOver(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a, b, d := c.Node(t, "a", opts), c.Node(t, "b", opts), c.Node(t, "d", opts)
	a.MustSweep(t)
	a.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	advance(t, time.Minute, a, b, d)
	b.MustSweep(t)
	vaulttest.Want(t, "secrets while another sweeps", secretsIn(t, c), 1)
	advance(t, 29*time.Second, b, d)
	b.MustSweep(t)
	vaulttest.Want(t, "secrets before the end of the lease", secretsIn(t, c), 1)
	advance(t, time.Second, b, d)
	b.MustSweep(t)
	vaulttest.Want(t, "secrets after the takeover", secretsIn(t, c), 0)

	b.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	advance(t, time.Minute, b, d)
	b.Close(t)
	d.MustSweep(t)
	vaulttest.Want(t, "secrets after the holder left", secretsIn(t, c), 0)
}

// pausedStore runs a function once before an update, like a process that stops
// in front of its commit.
type pausedStore struct {
	storage.Store
	pause atomic.Pointer[func()]
}

func (s *pausedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if pause := s.pause.Swap(nil); pause != nil {
		(*pause)()
	}
	return s.Store.Update(ctx, fn)
}

func (s *pausedStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// The attack: a node is stopped in the middle of a sweep. Another takes over,
// and the clock of the first has leapt when it returns. Its transaction fails.
func TestPausedSweepFails(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	var paused pausedStore
	a := c.Node(t, "a", vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		paused.Store = s
		return &paused
	}})
	b := c.Node(t, "b", vaulttest.Options{Manual: true})
	a.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	a.MustSweep(t)
	mark := vaulttest.Get(t, c.Store, rows.BucketSystem, []byte(cluster.SystemMark))
	pause := func() {
		advance(t, 30*time.Second, b)
		b.MustSweep(t)
		mark = vaulttest.Get(t, c.Store, rows.BucketSystem, []byte(cluster.SystemMark))
		a.Clock.Advance(50 * time.Minute)
	}
	paused.pause.Store(&pause)
	_, err := a.Vault.Sweep(t.Context())
	vaulttest.WantErr(t, "Sweep(paused node)", err, cluster.ErrLeaseLost)
	vaulttest.Want(t, "secrets", secretsIn(t, c), 1)
	if got := vaulttest.Get(t, c.Store, rows.BucketSystem, []byte(cluster.SystemMark)); !slices.Equal(got, mark) {
		t.Errorf("mark: got %x, want that of the new holder, %x", got, mark)
	}
}

// mustNotice queues a mail.
func mustNotice(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return k.Vault.Outbox.PutNotice(tx, outbox.Mail{Kind: outbox.MailSuspended, To: "ann@example.org", Domain: "example.org"}, k.Clock.Now())
	}))
	vaulttest.Want(t, "PutNotice()", err, nil)
}

// mustPost sends the due mails and fails the test unless their number is want.
func mustPost(t *testing.T, k *vaulttest.Kit, want int) {
	t.Helper()
	n, err := k.Vault.Outbox.PostDue(t.Context())
	vaulttest.Want(t, "PostDue()", err, nil)
	vaulttest.Want(t, "PostDue()", n, want)
}

// One node sends mails. If another takes over while it sends one, the result is
// still stored, so that the mail is not sent twice.
func TestOneNodeSendsMails(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	var a, b *vaulttest.Kit
	var sent atomic.Int64
	var meanwhile func()
	opts := vaulttest.Options{Manual: true, Send: func(context.Context, outbox.Mail) error {
		sent.Add(1)
		meanwhile()
		return nil
	}}
	meanwhile = func() {}
	a, b = c.Node(t, "a", opts), c.Node(t, "b", opts)
	mustNotice(t, b)
	mustPost(t, a, 1)
	mustNotice(t, b)
	mustPost(t, b, 0)
	meanwhile = func() {
		advance(t, 30*time.Second, b)
		mustPost(t, b, 0)
	}
	mustPost(t, a, 1)
	meanwhile = func() {}
	vaulttest.Want(t, "queued mails", len(vaulttest.RowsIn(t, c.Store, outbox.BucketOutbox)), 0)
	mustNotice(t, b)
	mustPost(t, a, 0)
	mustPost(t, b, 1)
	vaulttest.Want(t, "sent mails", sent.Load(), 3)
}

// timedStore is a store with a clock of its own.
type timedStore struct {
	storage.Store
	clock *vaulttest.Clock
}

func (s timedStore) Clock() storage.Clock { return s }

func (s timedStore) Now(context.Context) (time.Time, error) { return s.clock.Now(), nil }

// Nodes whose clocks are minutes off share the time of their store.
func TestNodesShareTheStoresTime(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	clock := vaulttest.NewClock(vaulttest.StartTime())
	opts := func(off time.Duration) vaulttest.Options {
		return vaulttest.Options{Manual: true, Start: vaulttest.StartTime().Add(off), WrapStore: func(s storage.Store) storage.Store {
			return timedStore{s, clock}
		}}
	}
	nodes := []*vaulttest.Kit{c.Node(t, "a", opts(-5*time.Minute)), c.Node(t, "b", opts(5*time.Minute)), c.Node(t, "d", opts(0))}
	for _, k := range nodes {
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
		vaulttest.Want(t, "Created", kept.Secret.Created, vaulttest.StartTime())
		for _, other := range nodes {
			_, err := other.Vault.Secrets.GetSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose())
			vaulttest.Want(t, "GetSecret(key)", err, nil)
		}
	}
	clock.Advance(time.Minute)
	nodes[1].Clock.Advance(10 * time.Minute) // its clock drifts
	mustBeat(t, nodes...)
	vaulttest.Want(t, "Created", nodes[1].MustConceal(t, caller.Caller{}, "x", secret.Terms{}).Secret.Created, clock.Now())

	for _, off := range []time.Duration{16 * time.Minute, -16 * time.Minute} {
		_, err := c.Open(t, "wrong", opts(off+time.Minute))
		vaulttest.WantErr(t, "vault.Open(clock off)", err, cluster.ErrClockOff)
	}
	_, err := vault.Open(t.Context(), vault.Options{Store: timedStore{c.Store, clock}, Keys: nodes[0].Keys, Now: clock.Now})
	vaulttest.WantErr(t, "vault.Open(shared store, no node)", err, vault.ErrNodeRequired)
}

// The mark that one node stores holds for all: a node whose clock is behind
// revives nothing.
func TestMarkIsShared(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	a.Clock.Advance(time.Minute)
	mustBeat(t, a)
	a.MustSweep(t)
	mustBeat(t, b)
	vaulttest.Want(t, "Created", b.MustConceal(t, caller.Caller{}, "x", secret.Terms{}).Secret.Created, a.Clock.Now())
}

// Three nodes with all their loops conceal and reveal at once: each secret is
// revealed once, and everything adds up.
func TestNodesAtOnce(t *testing.T) {
	t.Parallel()
	const each = 20
	c := vaulttest.NewCluster(t)
	var nodes []*vaulttest.Kit
	for _, name := range []string{"a", "b", "d"} {
		nodes = append(nodes, c.Node(t, name, vaulttest.Options{}))
	}
	var all sync.WaitGroup
	var revealed, refused atomic.Int64
	for _, k := range nodes {
		all.Go(func() {
			for range each {
				kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
				if err != nil {
					t.Errorf("ConcealSecret(text): got %v, want nil", err)
					return
				}
				var takers sync.WaitGroup
				for _, taker := range nodes {
					takers.Go(func() {
						switch _, err := taker.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{}); {
						case err == nil:
							revealed.Add(1)
						case errors.Is(err, refusal.ErrNotFound):
							refused.Add(1)
						default:
							t.Errorf("RevealSecret(key): got %v, want nil or ErrNotFound", err)
						}
					})
				}
				takers.Wait()
				mustBeat(t, k)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "revealed", revealed.Load(), int64(3*each))
	vaulttest.Want(t, "refused", refused.Load(), int64(6*each))
	counts, trail := countsOf(t, c.Store)
	vaulttest.Want(t, "secrets", counts[counter.Secrets], 0)
	vaulttest.Want(t, "created", counts[counter.Created], int64(3*each))
	vaulttest.Want(t, "rows of the trail", trail, int64(6*each))
	vaulttest.Want(t, "rows in the store", len(vaulttest.RowsIn(t, c.Store, audit.BucketAudit)), 6*each)
}

// The attack: the clock of the sweeping node's machine leaps ahead by less than
// what counts as a leap. Its time is that of the store, so nothing ends early.
func TestSweepKeepsTheStoresTime(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	clock := vaulttest.NewClock(vaulttest.StartTime())
	a := c.Node(t, "a", vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store { return timedStore{s, clock} }})
	a.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(10 * time.Minute)})
	a.Clock.Advance(50 * time.Minute)
	a.MustSweep(t)
	vaulttest.Want(t, "secrets", secretsIn(t, c), 1)
	clock.Advance(10 * time.Minute)
	a.Clock.Advance(10 * time.Minute)
	a.MustSweep(t)
	vaulttest.Want(t, "secrets", secretsIn(t, c), 0)
}
