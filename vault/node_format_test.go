package vault_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// release returns the options of a node of a release that reads formats up to
// newest and writes them from oldest on.
func release(name string, oldest, newest rows.Format) vaulttest.Options {
	return vaulttest.Options{Manual: true, Node: cluster.NodeOptions{Release: name, Formats: cluster.Formats{Oldest: oldest, Newest: newest}}}
}

// at returns opts with the time of a kit.
func at(k *vaulttest.Kit, opts vaulttest.Options) vaulttest.Options {
	opts.Start = k.Clock.Now()
	return opts
}

// wantFormat fails the test unless the store has a format.
func wantFormat(t *testing.T, c *vaulttest.Cluster, want rows.Format) {
	t.Helper()
	stored, err := cluster.DecodeFormat(vaulttest.Get(t, c.Store, cluster.BucketNode, []byte{0xff, 1}))
	vaulttest.Want(t, "DecodeFormat()", err, nil)
	vaulttest.Want(t, "format of the store", stored.Format, want)
}

// wantWrites fails the test unless a node's transactions write a format.
func wantWrites(t *testing.T, k *vaulttest.Kit, want rows.Format) {
	t.Helper()
	var got rows.Format
	err := vault.Update(t.Context(), k.Vault, func(tx *rows.Tx) error {
		got = tx.Format()
		return nil
	})
	vaulttest.Want(t, "Update()", err, nil)
	vaulttest.Want(t, "Format()", got, want)
}

// wantBeatVersion fails the test unless the heartbeat of a node has a version.
func wantBeatVersion(t *testing.T, c *vaulttest.Cluster, node, want byte) {
	t.Helper()
	vaulttest.Want(t, "version of a heartbeat", vaulttest.Get(t, c.Store, cluster.BucketNode, []byte{0, node, 1})[0], want)
}

// A new release writes what the old one reads as long as one of those runs, and
// its own format once the last has left. Then the old one cannot come back.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	older, newer := release("1.0", 1, 1), release("1.1", 1, 2)
	a, b := c.Node(t, "a", older), c.Node(t, "b", older)
	d := c.Node(t, "d", newer)
	wantWrites(t, d, 1)
	wantBeatVersion(t, c, 2, 1)
	kept := d.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(on the old release)", a.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
	a.Close(t)
	mustBeat(t, d, b)
	wantFormat(t, c, 1)
	kept = b.MustConceal(t, caller.Caller{}, "y", secret.Terms{})
	b.Close(t)
	e := c.Node(t, "e", newer)
	wantFormat(t, c, 2)
	wantWrites(t, e, 2)
	wantWrites(t, d, 1) // until it notices
	mustBeat(t, d)
	wantWrites(t, d, 2)
	mustBeat(t, d)
	wantBeatVersion(t, c, 2, 2)
	vaulttest.Want(t, "RevealSecret(of the old release)", d.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "y")

	_, err := c.Open(t, "a", older)
	if outdated := (*cluster.FormatError)(nil); !errors.As(err, &outdated) || !strings.Contains(err.Error(), "upgrade to hush 1.1") {
		t.Errorf("vault.Open(old release): got %v, want a FormatError that names release 1.1", err)
	}
	wantFormat(t, c, 2)
	if k, err := c.Open(t, "f", release("1.2", 2, 3)); err != nil {
		t.Errorf("vault.Open(release that writes no format 1): got %v, want nil", err)
	} else {
		wantWrites(t, k, 2)
	}
}

// As long as a node runs that knows no requests, the others take none: it would not know
// whose answers the secrets are.
func TestRollingUpgradeKeepsNoRequests(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := c.Node(t, "a", release("1.1", 1, rows.FormatRequests-1))
	newer := release("1.2", 1, rows.FormatRequests)
	newer.Policy.Requests = caller.RequestsAnyone
	d := c.Node(t, "d", newer)
	_, terms := vaulttest.AskTerms(t, d, 1)
	_, err := d.Vault.Requests.CreateRequest(t.Context(), caller.Caller{}, terms)
	vaulttest.WantErr(t, "CreateRequest(beside an old node)", err, refusal.ErrPolicy)
	a.Close(t)
	mustBeat(t, d, d)
	mustBeat(t, d)
	asked := d.MustAsk(t, caller.Caller{}, 1)
	d.MustAnswer(t, caller.Caller{}, asked, "x")
	text, err := d.OpenAnswer(t, caller.Caller{}, asked, d.MustCollect(t, caller.Caller{}, asked).Answers[0], "")
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	vaulttest.Want(t, "text", text, "x")
}

// As long as a node runs that knows neither end-to-end encrypted secrets nor claims,
// the others keep none: it would take their rows for damage, and their slots for free.
func TestRollingUpgradeKeepsNoClaims(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := c.Node(t, "a", release("1.0", 1, 1))
	d := c.Node(t, "d", release("1.1", 1, 2))
	sealed, _ := vaulttest.MustSeal(t, "x", "")
	_, err := d.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "", secret.Terms{Sealed: sealed})
	vaulttest.WantErr(t, "ConcealSecret(sealed)", err, refusal.ErrPolicy)
	claim := secret.Opening{Claim: vaulttest.Claim(1)}
	kept := d.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	revealed, err := d.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), claim)
	if err != nil || revealed.Value != "x" || revealed.ClaimLeft != 0 {
		t.Errorf("RevealSecret(claim): got %d bytes for %s, %v, want the text and no claim", len(revealed.Value), revealed.ClaimLeft, err)
	}
	_, err = d.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), claim)
	vaulttest.WantErr(t, "RevealSecret(again)", err, refusal.ErrNotFound)
	waits := d.MustConceal(t, caller.Caller{}, "y", secret.Terms{Memo: "for Kim", Group: receipt.Group{1}})
	if m := a.MustMetadata(t, caller.Caller{}, waits.Metadata.Key); m.Memo != "for Kim" || m.Group != (receipt.Group{}) {
		t.Errorf("GetMetadata(on the old release): got memo %q and group %x, want the memo alone", m.Memo, m.Group)
	}
	for bucket, newest := range map[string]byte{secret.BucketSecret: 2, receipt.BucketMetadata: 3} {
		for _, value := range vaulttest.RowsIn(t, c.Store, bucket) {
			if value[0] > newest {
				t.Errorf("bucket %s: got a record of version %d, want at most %d", bucket, value[0], newest)
			}
		}
	}
	a.Close(t)
	e := c.Node(t, "e", release("1.1", 1, 2))
	wantFormat(t, c, 2)
	revealed, err = e.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, waits.Secret.Key.Expose(), claim)
	if err != nil || revealed.ClaimLeft == 0 {
		t.Errorf("RevealSecret(claim, all upgraded): got %s, %v, want a claim", revealed.ClaimLeft, err)
	}
}

// A release that can no longer write what a live node reads does not start.
func TestUpgradeOverTwoReleases(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := c.Node(t, "a", release("1.0", 1, 1))
	_, err := c.Open(t, "b", release("1.2", 2, 3))
	vaulttest.WantErr(t, "vault.Open(two releases ahead)", err, cluster.ErrOlderNode)
	wantFormat(t, c, 1)
	a.Close(t)
	b := c.Node(t, "b", release("1.2", 2, 3))
	wantFormat(t, c, 3)
	wantWrites(t, b, 3)
}

// The database fails over for a minute. Nodes of the old release, which could
// send no heartbeats, are not taken for dead; one that is holds the upgrade up
// for five minutes.
func TestUpgradeWaitsForDeadNode(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	c.Node(t, "a", release("1.0", 1, 1))
	b := c.Node(t, "b", release("1.1", 1, 2))
	advance(t, 5*time.Minute-time.Second, b)
	wantFormat(t, c, 1)
	d := c.Node(t, "d", at(b, release("1.1", 1, 2)))
	wantFormat(t, c, 1)
	advance(t, time.Second, b)
	wantFormat(t, c, 2)
	wantWrites(t, b, 2)
	mustBeat(t, d)
	wantWrites(t, d, 2)
}

// The attack: an old node is stopped in the middle of its work, and wakes up
// after the store was raised. It reads nothing, its transaction fails, and it
// stops with a message.
func TestStalledNodeNoticesUpgrade(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(*testing.T, *vaulttest.Kit, *pausedStore, func()) error{
		"before a commit": func(t *testing.T, a *vaulttest.Kit, s *pausedStore, pause func()) error {
			t.Helper()
			s.pause.Store(&pause)
			_, err := a.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
			return err
		},
		"before a read": func(t *testing.T, a *vaulttest.Kit, _ *pausedStore, pause func()) error {
			t.Helper()
			pause()
			a.Clock.Advance(5 * time.Minute)
			_, err := a.Vault.GetIndex(t.Context(), colonel())
			return err
		},
		"before a heartbeat": func(t *testing.T, a *vaulttest.Kit, _ *pausedStore, pause func()) error {
			t.Helper()
			pause()
			return a.Vault.Beat(t.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := vaulttest.NewCluster(t)
			var paused pausedStore
			var faults atomic.Int64
			older := release("1.0", 1, 1)
			older.WrapStore = func(s storage.Store) storage.Store { paused.Store = s; return &paused }
			older.Node.Fault = func(error) { faults.Add(1) }
			a, b := c.Node(t, "a", older), c.Node(t, "b", release("1.1", 1, 2))
			err := step(t, a, &paused, func() {
				advance(t, 5*time.Minute, b)
				wantFormat(t, c, 2)
			})
			vaulttest.WantErr(t, "step of the stalled node", err, refusal.ErrUnavailable)
			vaulttest.Want(t, "secrets", secretsIn(t, c), 0)

			a.Clock.Advance(5 * time.Minute)
			var outdated *cluster.FormatError
			if err := a.Vault.Beat(t.Context()); !errors.As(err, &outdated) {
				t.Errorf("Beat(stalled node): got %v, want a FormatError", err)
			}
			_, err = a.Vault.GetIndex(t.Context(), colonel())
			if !errors.As(err, &outdated) || !errors.Is(err, refusal.ErrUnavailable) {
				t.Errorf("GetIndex(stalled node): got %v, want a FormatError that is unavailable", err)
			}
			vaulttest.Want(t, "calls of Fault", faults.Load(), 1)
			wantWrites(t, b, 2)
		})
	}
}

// Old and new nodes come and go at once. At no time does a transaction of a node
// run in a store whose format the node cannot read.
func TestNodesJoinDuringUpgrade(t *testing.T) {
	t.Parallel()
	const rounds = 30
	for range rounds {
		c := vaulttest.NewCluster(t)
		a := c.Node(t, "a", release("1.0", 1, 1))
		b := c.Node(t, "b", release("1.1", 1, 2))
		var all sync.WaitGroup
		all.Go(func() { a.Close(t) })
		all.Go(func() { mustBeat(t, b) })
		var joined atomic.Pointer[vaulttest.Kit]
		all.Go(func() {
			k, err := c.Open(t, "d", release("1.0", 1, 1))
			if outdated := (*cluster.FormatError)(nil); err != nil && !errors.As(err, &outdated) {
				t.Errorf("vault.Open(old release): got %v, want nil or a FormatError", err)
			}
			joined.Store(k)
		})
		all.Wait()
		mustBeat(t, b)
		if k := joined.Load(); k != nil {
			wantFormat(t, c, 1)
			mustBeat(t, k)
			wantWrites(t, b, 1)
			continue
		}
		wantFormat(t, c, 2)
	}
}
