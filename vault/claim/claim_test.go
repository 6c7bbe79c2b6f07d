package claim_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

const text = "the text"

// mine and others are two claims.
func mine() caller.Text   { return vaulttest.Claim(1) }
func others() caller.Text { return vaulttest.Claim(2) }

// wantEnded fails the test unless nothing of a claim is left, and the receipt says
// how it ended.
func wantEnded(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, how receipt.EventKind) {
	t.Helper()
	for _, by := range []caller.Text{mine(), others(), ""} {
		k.WantNotRevealed(t, "after the end", kept.Secret.Key, by)
	}
	for _, bucket := range []string{claim.BucketClaim, claim.BucketDeadline, secret.BucketSecret} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
	vaulttest.Want(t, "Live()", k.Vault.Claims.Live(), 0)
	metadata := k.MustMetadata(t, caller.Caller{}, kept.Metadata.Key)
	vaulttest.Want(t, "State", metadata.State, receipt.StateReceived)
	outcome := receipt.OutcomeLapsed
	if how == receipt.EventDelivered {
		outcome = receipt.OutcomeDelivered
	}
	vaulttest.Want(t, "Outcome", metadata.Outcome, outcome)
	last := metadata.Events[len(metadata.Events)-1]
	vaulttest.Want(t, "last event", last, receipt.Event{Kind: how, Time: k.Clock.Now(), Count: 1})
	vaulttest.Want(t, "Updated", metadata.Updated, k.Clock.Now())
	vaulttest.Want(t, "the event before", metadata.Events[len(metadata.Events)-2].Kind, receipt.EventRevealed)
}

// A claim opens its secret again and again, until its caller acknowledges it.
// Other callers get nothing, and the network's bytes count until then.
func TestClaim(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	sender := vaulttest.Caller(7)
	kept := k.MustConceal(t, sender, text, secret.Terms{Passphrase: vaulttest.Passphrase})
	before := k.MustLiveBytes(t)
	first, err := k.Vault.Secrets.RevealSecret(t.Context(), sender, kept.Secret.Key.Expose(), secret.Opening{Passphrase: vaulttest.Passphrase, Claim: mine()})
	vaulttest.Want(t, "RevealSecret(claim)", err, nil)
	vaulttest.Want(t, "Value", string(first.Value), text)
	vaulttest.Want(t, "ClaimLeft", first.ClaimLeft, claim.Lifetime)
	vaulttest.Want(t, "bytes while the claim lasts", k.MustLiveBytes(t), before)
	metadata := k.MustMetadata(t, caller.Caller{}, kept.Metadata.Key)
	vaulttest.Want(t, "State", metadata.State, receipt.StateReceived)
	vaulttest.Want(t, "Outcome", metadata.Outcome, receipt.OutcomeAwaited)
	hashes := k.Vault.Monitor.State().Hashed
	for range 3 {
		k.Clock.Advance(30 * time.Second)
		vaulttest.Want(t, "RevealSecret(claim, again)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
		k.WantNotRevealed(t, "another claim", kept.Secret.Key, others())
		k.WantNotRevealed(t, "no claim", kept.Secret.Key, "")
		k.WantNotRevealed(t, "half a claim", kept.Secret.Key, mine()[:16])
	}
	vaulttest.Want(t, "passphrases hashed by repeats", k.Vault.Monitor.State().Hashed, hashes)
	again, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
	vaulttest.Want(t, "RevealSecret(claim, again)", err, nil)
	vaulttest.Want(t, "ClaimLeft", again.ClaimLeft, claim.Lifetime)
	vaulttest.Want(t, "Secret", again.Secret, secret.Secret{Key: first.Secret.Key, State: receipt.StateReceived, Encryption: receipt.EncryptionServer})
	audit := len(vaulttest.RowsIn(t, k.Store, "audit"))
	k.MustAcknowledge(t, kept.Secret.Key, others())
	vaulttest.Want(t, "audit rows of a wrong claim", len(vaulttest.RowsIn(t, k.Store, "audit"))-audit, 0)
	vaulttest.Want(t, "RevealSecret(claim, after a wrong acknowledgement)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	k.MustAcknowledge(t, kept.Secret.Key, mine())
	vaulttest.Want(t, "audit rows of the end", len(vaulttest.RowsIn(t, k.Store, "audit"))-audit, 1)
	wantEnded(t, k, kept, receipt.EventDelivered)
	vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
	k.MustAcknowledge(t, kept.Secret.Key, mine())
	vaulttest.Want(t, "audit rows of another acknowledgement", len(vaulttest.RowsIn(t, k.Store, "audit"))-audit, 1)
}

// What a device encrypted is bound to a claim as it is.
func TestClaimEndToEnd(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept, keys := k.MustConcealSealed(t, caller.Caller{}, text, "", secret.Terms{})
	opening := vaulttest.Prove(keys)
	opening.Claim = mine()
	first, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), opening)
	vaulttest.Want(t, "RevealSecret(claim)", err, nil)
	vaulttest.Want(t, "content", vaulttest.MustOpen(t, keys, first.Content), text)
	before := k.MustLiveBytes(t)
	k.Reopen(t)
	again, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
	vaulttest.Want(t, "RevealSecret(claim, after a restart)", err, nil)
	vaulttest.Want(t, "content", again.Content, first.Content)
	vaulttest.Want(t, "Value", again.Value, "")
	vaulttest.Want(t, "Encryption", again.Secret.Encryption, receipt.EncryptionEndToEnd)
	vaulttest.Want(t, "bytes after a restart", k.MustLiveBytes(t), before)
	k.MustAcknowledge(t, kept.Secret.Key, mine())
	wantEnded(t, k, kept, receipt.EventDelivered)
	vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
}

// A claim of a wrong size is refused, and consumes nothing.
func TestClaimOfAWrongSize(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	for _, size := range []int{1, 31, 33} {
		_, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: caller.Text(strings.Repeat("x", size))})
		vaulttest.WantInvalid(t, "RevealSecret(claim)", err, "claim")
	}
	vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
}

// Of callers at the same time, one claim wins. All who hold it get the content, and
// no other caller.
func TestClaimRace(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for range 20 {
		kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
		const callers = 16
		var all sync.WaitGroup
		values := make([]string, callers)
		for i := range callers {
			all.Go(func() {
				got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: vaulttest.Claim(byte(1 + i%4))})
				if err != nil {
					vaulttest.WantErr(t, "RevealSecret(claim)", err, refusal.ErrNotFound)
				}
				values[i] = string(got.Value)
			})
		}
		all.Wait()
		won := slices.Index(values, text) % 4
		for i, value := range values {
			want := ""
			if i%4 == won {
				want = text
			}
			vaulttest.Want(t, "RevealSecret(claim)", value, want)
		}
		k.MustAcknowledge(t, kept.Secret.Key, vaulttest.Claim(byte(1+won)))
	}
	vaulttest.AwaitShred(t, k)
	vaulttest.Want(t, "Live()", k.Vault.Claims.Live(), 0)
}

// A claim lapses at its deadline by the clock.
func TestLapse(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(claim.Lifetime - time.Millisecond)
	vaulttest.Want(t, "Lapse(before the deadline)", k.MustLapse(t), 0)
	k.Clock.Advance(time.Millisecond)
	k.WantNotRevealed(t, "at the deadline", kept.Secret.Key, mine())
	vaulttest.Want(t, "Lapse(at the deadline)", k.MustLapse(t), 1)
	wantEnded(t, k, kept, receipt.EventLapsed)
	vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
	vaulttest.AwaitShred(t, k)
}

// An acknowledgement that comes too late ends the claim, and does not count as one.
func TestAcknowledgeTooLate(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(claim.Lifetime)
	k.MustAcknowledge(t, kept.Secret.Key, mine())
	wantEnded(t, k, kept, receipt.EventLapsed)
}

// The clock leapt ahead by years: the claim ends, and nothing waits for the
// sweeper, which does not believe that.
func TestLapseAfterALeap(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(5 * 365 * 24 * time.Hour)
	k.MustSweep(t)
	k.WantNotRevealed(t, "after the leap", kept.Secret.Key, mine())
	vaulttest.Want(t, "Lapse(after the leap)", k.MustLapse(t), 1)
	k.Clock.Set(vaulttest.StartTime())
	k.WantNotRevealed(t, "after the clock was set right", kept.Secret.Key, mine())
}

// The pass after a start frees the slots of shares that nothing holds. A claim holds
// its own.
func TestClaimKeepsItsSlot(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	vaulttest.AwaitShred(t, k)
	slots := uint64(0)
	for range 2 {
		orphan, err := k.Shares.Put(t.Context(), [storage.ShareSize]byte{1, 2, 3})
		vaulttest.Want(t, "Put(share)", err, nil)
		slots = max(slots, orphan.Number)
	}
	k.Close(t)
	// Without the slots that were never used, of which there are many.
	vaulttest.Want(t, "Truncate(shares)", os.Truncate(filepath.Join(k.Dir, "shares"), int64(slots)*64), nil)
	k.Reopen(t)
	// All but the header and the slot of the claim: the secret's own may have been
	// freed just before or after the orphans took theirs.
	vaulttest.Want(t, "slots freed", k.MustReclaim(t), int(slots)-2)
	vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
}

// The process stopped while a claim lasted. The next one shows the content as long
// as the deadline allows, and ends the claim before it serves if the deadline has
// passed, or is further ahead than any can be.
func TestRestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		off   time.Duration
		lasts bool
	}{
		"at once":        {0, true},
		"in time":        {claim.Lifetime - time.Millisecond, true},
		"at the end":     {claim.Lifetime, false},
		"next day":       {24 * time.Hour, false},
		"set back 5 s":   {-5 * time.Second, true},
		"set back more":  {-5*time.Second - time.Millisecond, false},
		"set back 1 h":   {-time.Hour, false},
		"set back years": {-10 * 365 * 24 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The clock's mark does not keep up: no sweep has run.
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true, Start: vaulttest.StartTime().Add(-20 * 365 * 24 * time.Hour)})
			k.Close(t)
			k.Clock.Set(vaulttest.StartTime())
			k = vaulttest.New(t, vaulttest.Options{After: k, Manual: true, Folder: true, Start: vaulttest.StartTime()})
			kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			k.MustRevealClaimed(t, kept.Secret.Key, mine())
			k.Clock.Advance(c.off)
			k.Reopen(t)
			k.MustReclaim(t)
			if c.lasts {
				vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
				return
			}
			vaulttest.Want(t, "rows of claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
			vaulttest.AwaitShred(t, k)
			k.WantNotRevealed(t, "after the restart", kept.Secret.Key, mine())
			vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
			k.Clock.Set(vaulttest.StartTime())
			k.WantNotRevealed(t, "after the clock was set right", kept.Secret.Key, mine())
		})
	}
}

// A claim outlives the secret's own lifetime, its receipt and its sender's account.
func TestClaimOutlivesTheRest(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	sender := k.MustAccount(t, "ada@example.com")
	kept := k.MustConceal(t, sender, text, secret.Terms{TTL: new(time.Minute)})
	k.Clock.Advance(50 * time.Second)
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	k.Clock.Advance(100 * time.Second)
	k.MustSweep(t)
	_, err := k.Vault.Receipts.GetMetadata(t.Context(), sender, kept.Metadata.Key.Expose())
	vaulttest.WantErr(t, "GetMetadata(forgotten)", err, refusal.ErrNotFound)
	_, err = k.Vault.DestroyAccount(t.Context(), sender, vaulttest.Password)
	vaulttest.Want(t, "DestroyAccount()", err, nil)
	vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	k.MustAcknowledge(t, kept.Secret.Key, mine())
	k.WantNotRevealed(t, "after the end", kept.Secret.Key, mine())
	vaulttest.Want(t, "rows of claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
	vaulttest.Want(t, "bytes after the end", k.MustLiveBytes(t), 0)
}

// The first call could not destroy the share of the secret, and showed nothing. No
// repeat shows anything either, until the share is destroyed; then the claim opens
// its content.
func TestRepeatWaitsForTheShred(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"in one process": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{})
			kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			share := vaulttest.ShareOf(t, k, kept.Secret.Key)
			failure := storage.ErrUnavailable
			faulty.DestroyErr.Store(&failure)
			for range 2 {
				got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
				vaulttest.WantErr(t, "RevealSecret(claim, share not destroyed)", err, refusal.ErrUnavailable)
				vaulttest.Want(t, "RevealSecret(claim, share not destroyed)", got, secret.Revealed{})
			}
			faulty.DestroyErr.Store(nil)
			if restart {
				k.Reopen(t)
			}
			vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
			vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 0)
			vaulttest.WantShareGone(t, k, share)
		})
	}
}

// The share of a claim could not be destroyed by its end: the end is repeated.
func TestAcknowledgeAgain(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*testing.T, *vaulttest.Kit, seal.Token){
		"by the caller": func(t *testing.T, k *vaulttest.Kit, key seal.Token) {
			t.Helper()
			k.MustAcknowledge(t, key, mine())
		},
		"by the loop": func(t *testing.T, k *vaulttest.Kit, _ seal.Token) {
			t.Helper()
			vaulttest.Want(t, "Lapse()", k.MustLapse(t), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{})
			kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			k.MustRevealClaimed(t, kept.Secret.Key, mine())
			vaulttest.AwaitShred(t, k)
			failure := storage.ErrUnavailable
			faulty.DestroyErr.Store(&failure)
			for range 2 {
				err := k.Vault.Secrets.AcknowledgeReveal(t.Context(), kept.Secret.Key.Expose(), mine())
				vaulttest.WantErr(t, "AcknowledgeReveal(share not destroyed)", err, refusal.ErrUnavailable)
			}
			k.MustAcknowledge(t, kept.Secret.Key, others())
			vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 1)
			faulty.DestroyErr.Store(nil)
			again(t, k, kept.Secret.Key)
			vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 0)
			wantEnded(t, k, kept, receipt.EventDelivered)
		})
	}
}

// The outcome of the commit is unknown: the claim opens the secret either way.
func TestClaimAfterAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{false, true} {
		var faulty vaulttest.FaultyStore
		k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
			faulty.Store = s
			return &faulty
		}})
		kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
		failure := storage.ErrUnknownOutcome
		if applied {
			faulty.After.Store(&failure)
		} else {
			faulty.Before.Store(&failure)
		}
		_, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
		vaulttest.WantErr(t, "RevealSecret(unknown outcome)", err, refusal.ErrUnavailable)
		faulty.Before.Store(nil)
		faulty.After.Store(nil)
		k.Reopen(t)
		vaulttest.Want(t, "RevealSecret(claim)", k.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
		k.MustAcknowledge(t, kept.Secret.Key, mine())
		wantEnded(t, k, kept, receipt.EventDelivered)
	}
}
