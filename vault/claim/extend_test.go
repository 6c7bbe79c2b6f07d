package claim_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// mustExtend extends the claim on a secret and returns how long it lasts.
func mustExtend(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) time.Duration {
	t.Helper()
	left, err := k.Vault.Secrets.KeepClaim(t.Context(), kept.Secret.Key.Expose(), mine())
	if err != nil {
		t.Fatalf("KeepClaim(key, claim): got %v, want no error", err)
	}
	return left
}

func wantNotExtended(t *testing.T, what string, k *vaulttest.Kit, key seal.Token, by caller.Text) {
	t.Helper()
	left, err := k.Vault.Secrets.KeepClaim(t.Context(), key.Expose(), by)
	vaulttest.WantErr(t, "KeepClaim("+what+")", err, refusal.ErrNotFound)
	vaulttest.Want(t, "KeepClaim("+what+")", left, 0)
}

// While its reader comes back, a claim lasts on, for an hour at most.
func TestComingBackExtends(t *testing.T) {
	t.Parallel()
	for name, comeBack := range map[string]func(*testing.T, *vaulttest.Kit, secret.Concealed) time.Duration{
		"extending": mustExtend,
		"repeating": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) time.Duration {
			t.Helper()
			got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
			vaulttest.Want(t, "RevealSecret(claim)", err, nil)
			vaulttest.Want(t, "RevealSecret(claim)", string(got.Value), text)
			return got.ClaimLeft
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			k.MustRevealClaimed(t, kept.Secret.Key, mine())
			const step = 100 * time.Second
			for passed := step; passed < claim.Longest; passed += step {
				k.Clock.Advance(step)
				vaulttest.Want(t, "Lapse()", k.MustLapse(t), 0)
				want := min(claim.Lifetime, claim.Longest-passed)
				if got := comeBack(t, k, kept); got > want || got < want-claim.ExtendEvery {
					t.Errorf("time left after %v: got %v, want about %v", passed, got, want)
				}
			}
			k.WantNotRevealed(t, "another claim", kept.Secret.Key, others())
			k.Clock.Advance(step)
			wantNotExtended(t, "after an hour", k, kept.Secret.Key, mine())
			k.WantNotRevealed(t, "after an hour", kept.Secret.Key, mine())
			vaulttest.Want(t, "Lapse(after an hour)", k.MustLapse(t), 1)
			wantEnded(t, k, kept, receipt.EventLapsed)
			vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
		})
	}
}

// The clock was set back, and the time of the process stands still until
// it is there again. The claim lasts on while its reader comes back, for an hour at most,
// and ends when the reader falls silent: by the time that passes, on every node.
func TestComingBackExtendsWhileTimeStandsStill(t *testing.T) {
	t.Parallel()
	for _, silent := range []bool{false, true} {
		a, b := nodes(t)
		kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
		pass := func(d time.Duration) {
			for _, k := range []*vaulttest.Kit{a, b} {
				k.Clock.Advance(d)
			}
		}
		pass(-5 * time.Hour) // before the reveal: the test's clock has no monotonic reading
		a.MustRevealClaimed(t, kept.Secret.Key, mine())
		vaulttest.Want(t, "Seek()", b.Vault.Claims.Seek(t.Context()), nil)
		const step = 100 * time.Second
		for passed := step; passed < claim.Longest; passed += step {
			pass(step)
			want := min(claim.Lifetime, claim.Longest-passed)
			if got := mustExtend(t, a, kept); got > want || got < want-claim.ExtendEvery {
				t.Fatalf("time left after %v: got %v, want about %v", passed, got, want)
			}
			vaulttest.Want(t, "Seek()", b.Vault.Claims.Seek(t.Context()), nil)
			vaulttest.Want(t, "Lapse()", a.MustLapse(t), 0)
			vaulttest.Want(t, "Lapse(other node)", b.MustLapse(t), 0)
			if silent {
				break
			}
		}
		pass(claim.Lifetime)
		wantNotExtended(t, "at the end", a, kept.Secret.Key, mine())
		vaulttest.Want(t, "Lapse(at the end)", a.MustLapse(t), 1)
		wantOutcome(t, a, kept, receipt.OutcomeLapsed)
	}
}

// An extended claim whose reader falls silent lapses after its lifetime.
func TestSilenceAfterAnExtension(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(time.Minute)
	vaulttest.Want(t, "KeepClaim()", mustExtend(t, k, kept), claim.Lifetime)
	k.Clock.Advance(claim.Lifetime - time.Millisecond)
	vaulttest.Want(t, "Lapse(before the deadline)", k.MustLapse(t), 0)
	k.Clock.Advance(time.Millisecond)
	wantNotExtended(t, "due", k, kept.Secret.Key, mine())
	vaulttest.Want(t, "Lapse(at the deadline)", k.MustLapse(t), 1)
	wantEnded(t, k, kept, receipt.EventLapsed)
}

// Only a claim that lasts is extended, by its own caller, and nothing is consumed.
func TestExtendRefuses(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	waiting := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	wantNotExtended(t, "a secret that waits", k, waiting.Secret.Key, mine())
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, waiting.Secret.Key, ""), text)
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(time.Minute)
	for name, by := range map[string]caller.Text{"another claim": others(), "no claim": "", "half a claim": mine()[:16]} {
		wantNotExtended(t, name, k, kept.Secret.Key, by)
	}
	wantNotExtended(t, "an unknown secret", k, waiting.Metadata.Key, mine())
	if _, err := k.Vault.Secrets.KeepClaim(t.Context(), "no key", mine()); !errors.Is(err, refusal.ErrNotFound) {
		t.Errorf("KeepClaim(no key): got %v, want ErrNotFound", err)
	}
	k.Clock.Advance(time.Minute)
	vaulttest.Want(t, "Lapse()", k.MustLapse(t), 1)
	wantEnded(t, k, kept, receipt.EventLapsed)
}

// However often its reader comes back, a claim is written once in a while.
func TestExtensionsAreSeldom(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	row := kept.Secret.Key.RowKey(seal.KindSecret)
	written, before := 0, vaulttest.Get(t, k.Store, claim.BucketDeadline, row[:])
	for range 90 {
		k.Clock.Advance(time.Second)
		mustExtend(t, k, kept)
		k.MustRevealClaimed(t, kept.Secret.Key, mine())
		if now := vaulttest.Get(t, k.Store, claim.BucketDeadline, row[:]); string(now) != string(before) {
			written, before = written+1, now
		}
	}
	vaulttest.Want(t, "writes in 90 seconds", written, 3)
}

// The process stopped after an extension. The next one knows it, whatever the clock
// was when the claim was made, and ends what is further ahead than any can be.
func TestRestartAfterAnExtension(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		off   time.Duration
		lasts bool
	}{
		"at once":        {0, true},
		"in time":        {claim.Lifetime - time.Millisecond, true},
		"at the end":     {claim.Lifetime, false},
		"set back 5 s":   {-5 * time.Second, true},
		"set back more":  {-5*time.Second - time.Millisecond, false},
		"set back a day": {-24 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
			kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			k.MustRevealClaimed(t, kept.Secret.Key, mine())
			k.Clock.Advance(100 * time.Second)
			mustExtend(t, k, kept)
			k.Clock.Advance(c.off)
			k.Reopen(t)
			if c.lasts {
				vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
				k.MustAcknowledge(t, kept.Secret.Key, mine())
				wantEnded(t, k, kept, receipt.EventDelivered)
				return
			}
			vaulttest.Want(t, "rows of claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
			vaulttest.Want(t, "rows of deadlines", len(vaulttest.RowsIn(t, k.Store, claim.BucketDeadline)), 0)
			k.WantNotRevealed(t, "after the restart", kept.Secret.Key, mine())
		})
	}
}

// The row of the deadline is lost: the claim lasts as long as one that was never
// extended.
func TestDeadlineLost(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(100 * time.Second)
	row := kept.Secret.Key.RowKey(seal.KindSecret)
	vaulttest.Want(t, "Update()", k.Store.Update(t.Context(), func(tx storage.Tx) error { return tx.Delete(claim.BucketDeadline, row[:]) }), nil)
	k.Reopen(t)
	k.Clock.Advance(19 * time.Second)
	vaulttest.Want(t, "Lapse(in time)", k.MustLapse(t), 0)
	k.Clock.Advance(time.Second)
	vaulttest.Want(t, "Lapse(at the first deadline)", k.MustLapse(t), 1)
}

// One node extends a claim that another one made and knows with its first deadline.
// Neither ends it, and the acknowledgement counts on both.
func TestExtensionOnAnotherNode(t *testing.T) {
	t.Parallel()
	a, b := nodes(t)
	for _, by := range []*vaulttest.Kit{a, b} {
		kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
		a.MustRevealClaimed(t, kept.Secret.Key, mine())
		advance(t, 100*time.Second, a, b)
		vaulttest.Want(t, "KeepClaim(other node)", mustExtend(t, b, kept), claim.Lifetime)
		advance(t, 30*time.Second, a, b) // the first deadline has passed
		vaulttest.Want(t, "Lapse(node that made the claim)", a.MustLapse(t), 0)
		vaulttest.Want(t, "RevealSecret(claim)", a.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
		advance(t, 100*time.Second, a, b)
		by.MustAcknowledge(t, kept.Secret.Key, mine())
		wantOutcome(t, a, kept, receipt.OutcomeDelivered)
		vaulttest.Want(t, "rows of deadlines", len(vaulttest.RowsIn(t, a.Store, claim.BucketDeadline)), 0)
	}
}

func wantOutcome(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, want receipt.Outcome) {
	t.Helper()
	vaulttest.Want(t, "Outcome", k.MustMetadata(t, caller.Caller{}, kept.Metadata.Key).Outcome, want)
}

// The node that made a claim knows nothing of its extension when the acknowledgement
// comes. It counts all the same.
func TestAcknowledgementOfAnExtensionElsewhere(t *testing.T) {
	t.Parallel()
	a, b := nodes(t)
	kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	a.MustRevealClaimed(t, kept.Secret.Key, mine())
	advance(t, 100*time.Second, a, b)
	mustExtend(t, b, kept)
	advance(t, 60*time.Second, a, b)
	a.MustAcknowledge(t, kept.Secret.Key, mine())
	wantOutcome(t, a, kept, receipt.OutcomeDelivered)
}

// The node that extended a claim is gone. Another one finds the deadline that it wrote,
// and ends the claim then.
func TestExtensionOfADeadNode(t *testing.T) {
	t.Parallel()
	a, b := nodes(t)
	kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	a.MustRevealClaimed(t, kept.Secret.Key, mine())
	vaulttest.Want(t, "Seek()", b.Vault.Claims.Seek(t.Context()), nil)
	advance(t, 100*time.Second, a, b)
	mustExtend(t, a, kept)
	a.Close(t)
	advance(t, 60*time.Second, b)
	vaulttest.Want(t, "Lapse(before Seek)", b.MustLapse(t), 0)
	vaulttest.Want(t, "Seek()", b.Vault.Claims.Seek(t.Context()), nil)
	advance(t, 59*time.Second, b)
	vaulttest.Want(t, "Lapse(in time)", b.MustLapse(t), 0)
	advance(t, time.Second, b)
	vaulttest.Want(t, "Lapse(at the deadline)", b.MustLapse(t), 1)
	wantEnded(t, b, kept, receipt.EventLapsed)
}

// Acknowledgements, ends and extensions of a claim race. In whatever order they come, nothing
// comes back, and nothing is left.
func TestExtensionRaces(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *vaulttest.Kit, secret.Concealed){
		"acknowledgement": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			k.MustAcknowledge(t, kept.Secret.Key, mine())
		},
		"lapse": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			k.Clock.Advance(claim.Longest)
			ended := k.MustLapse(t)
			if ended == 0 { // an extension was stored just before, which is seen now
				ended = k.MustLapse(t)
			}
			vaulttest.Want(t, "Lapse()", ended, 1)
			k.Clock.Set(vaulttest.StartTime())
			k.WantNotRevealed(t, "after the end", kept.Secret.Key, mine())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
			for range 10 {
				kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
				k.MustRevealClaimed(t, kept.Secret.Key, mine())
				k.Clock.Advance(claim.ExtendEvery)
				var all sync.WaitGroup
				for range 4 {
					all.Go(func() {
						_, err := k.Vault.Secrets.KeepClaim(context.Background(), kept.Secret.Key.Expose(), mine())
						if err != nil {
							vaulttest.WantErr(t, "KeepClaim()", err, refusal.ErrNotFound)
						}
					})
				}
				all.Go(func() { end(t, k, kept) })
				all.Wait()
				wantNotExtended(t, "after the end", k, kept.Secret.Key, mine())
				k.WantNotRevealed(t, "after the end", kept.Secret.Key, mine())
				vaulttest.Want(t, "rows of claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
				vaulttest.Want(t, "rows of deadlines", len(vaulttest.RowsIn(t, k.Store, claim.BucketDeadline)), 0)
			}
			k.Clock.Advance(2 * claim.Longest)
			vaulttest.Want(t, "Lapse(what has ended)", k.MustLapse(t), 0)
			vaulttest.Want(t, "Live()", k.Vault.Claims.Live(), 0)
			vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
		})
	}
}

// On a store that masks shares with the keys of hours, a claim that lasts beyond the
// hour in which it was made opens until its end.
func TestExtensionBeyondTheHour(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewMemoryCluster(t)
	k := c.Node(t, "a", vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	const step = 100 * time.Second
	for passed := step; passed < claim.Longest; passed += step {
		advance(t, step, k)
		k.MustSweep(t)
		vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	}
	k.MustAcknowledge(t, kept.Secret.Key, mine())
	wantOutcome(t, k, kept, receipt.OutcomeDelivered)
}
