package cluster_test

import (
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: turn the clock back until an expired secret is fresh again. The
// vault's time does not go back, with or without a sweep in between, and not
// through a restart once the sweeper has written its mark.
func TestBackwardJumpRevivesNothing(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*testing.T, *vaulttest.Kit){
		"swept":             func(t *testing.T, k *vaulttest.Kit) { t.Helper(); k.MustSweep(t) },
		"not swept":         func(*testing.T, *vaulttest.Kit) {},
		"swept and started": func(t *testing.T, k *vaulttest.Kit) { t.Helper(); k.MustSweep(t); k.Reopen(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
			k.Clock.Advance(time.Minute)
			vaulttest.WantErr(t, "RevealSecret(expired)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
			between(t, k)
			for _, back := range []time.Duration{time.Second, time.Hour, 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
				k.Clock.Set(vaulttest.StartTime().Add(time.Minute - back))
				vaulttest.WantErr(t, "RevealSecret(clock back)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
				vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateExpired)
				k.MustSweep(t)
			}
			// What comes in the meantime lives its whole life.
			fresh := k.MustConceal(t, caller.Caller{}, "y", secret.Terms{TTL: new(time.Minute)})
			vaulttest.Want(t, "Created", fresh.Secret.Created, vaulttest.StartTime().Add(time.Minute))
			vaulttest.Want(t, "RevealSecret(fresh)", k.MustReveal(t, caller.Caller{}, fresh.Secret.Key, ""), "y")
		})
	}
}

// A clock that leaps ahead hides what would have expired, but nothing is
// deleted before three readings, a minute apart, agree.
func TestForwardLeapDeletesNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	leap := 10 * 365 * 24 * time.Hour
	k.Clock.Advance(leap)
	for range 100 { // readings of one minute count once
		k.MustSweep(t)
		k.Clock.Advance(500 * time.Millisecond)
	}
	vaulttest.WantErr(t, "RevealSecret(leapt)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 1)

	k.Clock.Advance(time.Minute)
	k.MustSweep(t) // the second reading
	k.Clock.Set(vaulttest.StartTime().Add(time.Minute))
	k.MustSweep(t)
	vaulttest.Want(t, "RevealSecret(clock mended)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "the text")
}

func TestForwardLeapConfirmed(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true}) // a node's time never goes back
	k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	for _, step := range []struct {
		advance time.Duration
		kept    int
	}{
		{time.Hour + time.Millisecond, 1},   // leapt: the first reading
		{59*time.Second + 999e6, 1},         // too close
		{time.Millisecond, 1},               // the second
		{2 * time.Hour, 1},                  // leapt again: the first
		{time.Minute, 1},                    // the second
		{-time.Second, 1},                   // back: the first
		{time.Minute, 1},                    // the second
		{time.Minute - time.Millisecond, 1}, // too close
		{time.Millisecond, 0},               // the third
	} {
		k.Clock.Advance(step.advance)
		k.MustSweep(t)
		vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), step.kept)
	}
}

// An hour is no leap: a machine that slept goes on at once.
func TestHourIsNoLeap(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
}

// After a long downtime what expired is gone at once for those who ask, and
// deleted when the clock is confirmed; what has time left is as it was.
func TestLongDowntime(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	short := k.MustConceal(t, caller.Caller{}, "short", secret.Terms{TTL: new(time.Hour)})
	long := k.MustConceal(t, caller.Caller{}, "long", secret.Terms{})
	k.Close(t)
	k.Clock.Advance(3 * time.Hour / 2)
	k.Reopen(t)
	vaulttest.WantErr(t, "RevealSecret(short)", vaulttest.RevealErr(t, k, caller.Caller{}, short.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.WantState(t, k, short.Metadata.Key, receipt.StateExpired)
	for _, kept := range []int{2, 2, 1} {
		k.MustSweep(t)
		vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), kept)
		k.Clock.Advance(time.Minute)
	}
	vaulttest.Want(t, "RevealSecret(long)", k.MustReveal(t, caller.Caller{}, long.Secret.Key, ""), "long")
}

// The mark that the sweeper wrote is where the next run begins, even on a
// clock that is behind it.
func TestMarkSurvives(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	k.Clock.Advance(30 * time.Minute)
	k.MustSweep(t)
	mark := k.Clock.Now()
	k.Clock.Set(vaulttest.StartTime().Add(-24 * time.Hour))
	for range 2 {
		k.Reopen(t)
		k.MustSweep(t)
		got := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{}).Secret.Created
		vaulttest.Want(t, "Created", got, mark)
	}
	k.Clock.Set(mark.Add(time.Second))
	vaulttest.Want(t, "Created", k.MustConceal(t, caller.Caller{}, "x", secret.Terms{}).Secret.Created, mark.Add(time.Second))
}

// A clock that ticks in steps of a second for an hour ends each secret at its
// time and none before.
func TestSteadyClock(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(150 * time.Second)})
	for second := range 200 {
		k.MustSweep(t)
		_, err := k.Vault.Secrets.GetSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose())
		vaulttest.Want(t, "GetSecret(key) is there", err == nil, second < 150)
		vaulttest.Want(t, "record is there", vaulttest.SecretRow(t, k, kept.Secret.Key) != nil, second < 150)
		k.Clock.Advance(time.Second)
	}
}
