package vault_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// onTime lets a node take its time from a clock.
func onTime(opts vaulttest.Options, clock *vaulttest.Clock) vaulttest.Options {
	opts.Manual = true
	opts.WrapStore = func(s storage.Store) storage.Store { return timedStore{s, clock} }
	return opts
}

// The attack: the database's clock leaps, as after a failover to a machine whose
// clock is wrong. A new release must not take the living nodes of the old one for
// gone, raise the format, and stop them.
func TestLeapOfTheDatabaseKeepsNodes(t *testing.T) {
	t.Parallel()
	for _, leap := range []time.Duration{5 * time.Minute, 14 * time.Minute, 59 * time.Minute, 3 * time.Hour, -10 * time.Minute, -59 * time.Minute} {
		c := vaulttest.NewCluster(t)
		clock := vaulttest.NewClock(vaulttest.StartTime())
		older, newer := c.Node(t, "older", onTime(release("1.0", 1, 1), clock)), c.Node(t, "newer", onTime(release("1.1", 1, 2), clock))
		pass := func(d time.Duration) {
			t.Helper()
			for ; d > 0; d -= 5 * time.Second {
				for _, k := range []*vaulttest.Kit{newer, older} { // it looks before the other's heartbeat
					k.Clock.Advance(5 * time.Second)
					clock.Advance(2500 * time.Millisecond)
					mustBeat(t, k)
				}
			}
		}
		pass(10 * time.Second)
		clock.Advance(leap)
		pass(10 * time.Minute)
		wantFormat(t, c, 1)
		older.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		for _, node := range mustNodes(t, newer) {
			if !node.Live {
				t.Errorf("node %s after a leap of %v: got it not live, %v after its heartbeat", node.Name, leap, node.Age)
			}
		}
		if got := nodeNumbers(t, newer); got["older"] != 0 || got["newer"] != 1 {
			t.Errorf("Nodes() after a leap of %v: got %v, want older 0, newer 1", leap, got)
		}
	}
}

// A node that joins after such a leap takes no number of a living node, and does
// not raise the format either.
func TestJoinAfterLeapOfTheDatabase(t *testing.T) {
	t.Parallel()
	for _, leap := range []time.Duration{5 * time.Minute, 14 * time.Minute, -14 * time.Minute} {
		c := vaulttest.NewCluster(t)
		clock := vaulttest.NewClock(vaulttest.StartTime())
		older := c.Node(t, "older", onTime(release("1.0", 1, 1), clock))
		clock.Advance(leap)
		joined := c.Node(t, "joined", onTime(release("1.1", 1, 2), clock))
		for range 2 * 60 * 12 / 5 {
			for _, k := range []*vaulttest.Kit{joined, older} {
				k.Clock.Advance(5 * time.Second)
				clock.Advance(2500 * time.Millisecond)
				mustBeat(t, k)
			}
		}
		wantFormat(t, c, 1)
		older.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		if got := nodeNumbers(t, joined); got["older"] != 0 || got["joined"] != 1 {
			t.Errorf("Nodes() after joining behind a leap of %v: got %v, want older 0, joined 1", leap, got)
		}
	}
}

// The clocks of the database and of a node are set together, and the heartbeats of the
// others look old there. An older node that lives keeps its number and its row, or the
// format would be raised without it, which stops it for good.
func TestClocksSetTogetherKeepOlderNodes(t *testing.T) {
	t.Parallel()
	for _, set := range []time.Duration{30 * time.Minute, 2 * time.Hour} {
		c := vaulttest.NewCluster(t)
		older := c.Node(t, "older", release("1.0", 1, 1))
		opts := release("1.1", 1, 2)
		opts.Start = older.Clock.Now().Add(set)
		newer := c.Node(t, "newer", opts)
		for range 5 * 60 / 5 {
			newer.Clock.Advance(5 * time.Second)
			older.Clock.Advance(5 * time.Second)
			mustBeat(t, newer, older)
			newer.MustSweep(t) // it confirms the leap of its clock
		}
		wantFormat(t, c, 1)
		if got := nodeNumbers(t, older); got["older"] != 0 || got["newer"] != 1 {
			t.Errorf("Nodes() beside a clock that was set by %v: got %v, want older 0, newer 1", set, got)
		}
		older.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	}
}

// The attack: the database's clock leaps by almost an hour, again and again. The
// mark up to which deleting is safe moves no faster than time does, so that no key
// of an epoch ends early.
func TestLeapsOfTheDatabaseKeepTheMark(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	clock := vaulttest.NewClock(vaulttest.StartTime())
	a := c.Node(t, "a", onTime(vaulttest.Options{}, clock))
	a.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Hour)})
	for range 24 {
		a.Clock.Advance(5 * time.Second)
		clock.Advance(59 * time.Minute)
		mustBeat(t, a)
		_, _ = a.Vault.Sweep(t.Context())
	}
	vaulttest.Want(t, "secrets", secretsIn(t, c), 1)
	var mark time.Time
	vaulttest.Want(t, "View()", c.Store.View(t.Context(), func(tx storage.Tx) (err error) {
		mark, err = cluster.GetMark(tx)
		return err
	}), nil)
	if moved := mark.Sub(vaulttest.StartTime()); moved > 3*time.Minute {
		t.Errorf("mark after 2 minutes of leaps: got %v later, want at most 3m", moved)
	}
}

// A clock that no one can believe stops the end of what expires, and not the destruction
// of the shares of what was opened.
func TestSweepWithoutATimeDestroysShares(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	clock := vaulttest.NewClock(vaulttest.StartTime())
	var shares vaulttest.FaultyShares
	opts := onTime(vaulttest.Options{}, clock)
	opts.WrapShares = func(s storage.Shares) storage.Shares {
		shares.Shares = s
		return &shares
	}
	k := c.Node(t, "a", opts)
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	failure := errors.New("no")
	shares.DestroyErr.Store(&failure)
	if err := vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""); err == nil {
		t.Fatal("RevealSecret(share that cannot be destroyed): got nil, want an error")
	}
	shares.DestroyErr.Store(nil)
	vaulttest.Want(t, "shares to destroy", len(vaulttest.RowsIn(t, c.Store, "shred")), 1)
	clock.Advance(-24 * time.Hour)
	for range 2 { // those that were listed at the sweep before
		_, err := k.Vault.Sweep(t.Context())
		vaulttest.WantErr(t, "Sweep()", err, cluster.ErrClockOff)
	}
	vaulttest.Want(t, "shares to destroy in the end", len(vaulttest.RowsIn(t, c.Store, "shred")), 0)
}
