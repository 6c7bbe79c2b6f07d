package secret_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/guess"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// wrongTry tries a wrong passphrase, by burning if burn is set.
func wrongTry(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, c caller.Caller, burn bool) error {
	t.Helper()
	if burn {
		_, err := k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "wrong")
		return err
	}
	return vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), "wrong")
}

// lockOut uses up the free tries of c, with reveals and burns by turns.
func lockOut(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, c caller.Caller) {
	t.Helper()
	for left := passphrase.NetworkTries - 1; left >= 0; left-- {
		wrong := &refusal.PassphraseError{TriesLeft: left, RetryAfter: guess.PauseAfter(passphrase.NetworkTries-left, passphrase.NetworkTries)}
		vaulttest.WantPassphrase(t, "guess", wrongTry(t, k, kept, c, left%2 == 0), wrong)
	}
	wantLocked(t, k, kept, c, time.Minute)
}

// wantLocked expects that even the right passphrase is refused, for reveal and
// burn alike.
func wantLocked(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, c caller.Caller, left time.Duration) {
	t.Helper()
	err := vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), "right")
	vaulttest.WantErr(t, "RevealSecret(locked)", err, refusal.ErrLocked)
	if locked, ok := errors.AsType[*refusal.LockedError](err); ok {
		vaulttest.Want(t, "LockedError.RetryAfter", locked.RetryAfter, left)
	}
	_, err = k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "right")
	vaulttest.WantErr(t, "BurnGuarded(locked)", err, refusal.ErrLocked)
}

// The attack: the finder of a link guesses its passphrase, with all the
// patience there is. Five tries are free; then each costs a longer pause, in
// which the right passphrase is refused as well and nothing is consumed. For
// other networks, and for other secrets, nothing changes.
func TestPausesOfANetwork(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	thief, owner := vaulttest.Caller(1), vaulttest.Caller(2)
	month := 30 * 24 * time.Hour
	kept := k.MustConceal(t, owner, "the text", secret.Terms{Passphrase: "right", TTL: &month})
	other := k.MustConceal(t, owner, "other text", secret.Terms{Passphrase: "right"})
	lockOut(t, k, kept, thief)
	vaulttest.Want(t, "RevealSecret(other secret)", k.MustReveal(t, thief, other.Secret.Key, "right"), "other text")
	pauses := []time.Duration{
		time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour,
	}
	for i, pause := range pauses[:len(pauses)-1] {
		wantLocked(t, k, kept, thief, pause)
		k.Clock.Advance(pause - time.Millisecond)
		k.Reopen(t)
		wantLocked(t, k, kept, thief, time.Millisecond)
		k.Clock.Advance(time.Millisecond)
		vaulttest.WantPassphrase(t, "guess after the pause", wrongTry(t, k, kept, thief, false), &refusal.PassphraseError{RetryAfter: pauses[i+1]})
	}
	vaulttest.Want(t, "RevealSecret(right)", k.MustReveal(t, owner, kept.Secret.Key, "right"), "the text")
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

// The attack: a guess now and then, so that no window ever has too many. There
// is no window: 576 guesses a day were free once, and are no longer.
func TestTriesAreNeverForgotten(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	looked := 0
	for end := k.Clock.Now().Add(24 * time.Hour); k.Clock.Now().Before(end); k.Clock.Advance(150 * time.Second) {
		if errors.Is(wrongTry(t, k, kept, c, false), refusal.ErrPassphrase) {
			looked++
		}
	}
	// Five, then one after each pause: 1, 5 and 30 minutes, 1, 2, 4 and twice 8 hours.
	vaulttest.Want(t, "guesses looked at in a day", looked, passphrase.NetworkTries+8)
}

func TestOtherNetworkHasNoPause(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: "right"})
	lockOut(t, k, kept, vaulttest.Caller(1))
	vaulttest.Want(t, "RevealSecret(right)", k.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, "right"), "the text")
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

// The attack: the same from many networks. Twenty tries are free in all.
func TestTwentyTriesOfAll(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: "right"})
	for i := range passphrase.AllTries {
		left := min(passphrase.NetworkTries-1-i/5, passphrase.AllTries-1-i)
		wrong := &refusal.PassphraseError{TriesLeft: left}
		if left == 0 {
			wrong.RetryAfter = time.Minute
		}
		vaulttest.WantPassphrase(t, "guess", wrongTry(t, k, kept, vaulttest.Caller(i%5), i%3 == 0), wrong)
	}
	wantLocked(t, k, kept, vaulttest.Caller(99), time.Minute)
	k.Reopen(t)
	k.Clock.Advance(time.Minute - time.Millisecond)
	wantLocked(t, k, kept, vaulttest.Caller(98), time.Millisecond)
	k.Clock.Advance(time.Millisecond)
	vaulttest.Want(t, "BurnGuarded(right)", k.MustBurn(t, vaulttest.Caller(97), kept.Metadata.Key, "right").State, receipt.StateBurned)
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

// The attack: from ever new networks, as soon as each pause is over. After a
// hundred tries no passphrase is accepted any more. The secret waits, its
// receipt says so, and the sender burns it without the passphrase.
func TestTriesEnd(t *testing.T) {
	t.Parallel()
	month := 30 * 24 * time.Hour
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{AnonymousTTL: month}})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: "right", TTL: &month})
	key := kept.Metadata.Key.Expose()
	locked := func() bool {
		m, err := k.Vault.Receipts.GetMetadata(t.Context(), vaulttest.Caller(3), key)
		vaulttest.WantErr(t, "GetMetadata(key)", err, nil)
		return m.LockedForGood
	}
	for i := range passphrase.MostTries {
		vaulttest.Want(t, "Metadata.LockedForGood before the last try", locked(), false)
		vaulttest.WantErr(t, "guess", wrongTry(t, k, kept, vaulttest.Caller(100+i), i%3 == 0), refusal.ErrPassphrase)
		k.Clock.Advance(guess.PauseAfter(i+1, passphrase.AllTries))
	}
	k.Reopen(t)
	vaulttest.Want(t, "Metadata.LockedForGood", locked(), true)
	err := vaulttest.RevealErr(t, k, vaulttest.Caller(2), kept.Secret.Key.Expose(), "right")
	if ended, ok := errors.AsType[*refusal.LockedError](err); !ok || !ended.ForGood || ended.RetryAfter != 0 {
		t.Errorf("RevealSecret(right, after a hundred tries): got %v, want it locked for good", err)
	}
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateViewed)
	burned := k.MustBurn(t, vaulttest.Caller(2), kept.Metadata.Key, "")
	vaulttest.Want(t, "BurnGuarded(no passphrase).State", burned.State, receipt.StateBurned)
	vaulttest.Want(t, "BurnGuarded(no passphrase).LockedForGood", burned.LockedForGood, false)
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

// The attack: keep the service busy with hashes and writes by guessing on. A
// caller who has to pause costs neither.
func TestLockedCallersCostNoHash(t *testing.T) {
	t.Parallel()
	var store *vaulttest.WorkStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		store = &vaulttest.WorkStore{Store: s}
		return store
	}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	before := secret.Hashes(k.Vault.Secrets)
	lockOut(t, k, kept, c)
	vaulttest.Want(t, "hashes of the free tries", secret.Hashes(k.Vault.Secrets)-before, passphrase.NetworkTries)
	for range 10 {
		_, err := k.Vault.Secrets.RevealSecret(vaulttest.Counted(t.Context()), c, kept.Secret.Key.Expose(), secret.Opening{Passphrase: "right"})
		vaulttest.WantErr(t, "RevealSecret(in a pause)", err, refusal.ErrLocked)
	}
	vaulttest.Want(t, "hashes of a locked caller", secret.Hashes(k.Vault.Secrets)-before, passphrase.NetworkTries)
	vaulttest.Want(t, "updates of a locked caller", store.Updates.Load(), 0)
}

// age gives the rows of a bucket the version before, whose layout is the same.
func age(t *testing.T, s storage.Store, bucket string) {
	t.Helper()
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		old := map[string][]byte{}
		err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
			old[string(key)] = append([]byte{value[0] - 1}, value[1:]...)
			return nil
		})
		for key, value := range old {
			err = errors.Join(err, tx.Put(bucket, []byte(key), value))
		}
		return err
	})
	vaulttest.WantErr(t, "storing rows of an older version", err, nil)
}

// Counters of an older version go on where they are, and their lock holds.
func TestOldCountersGoOn(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	lockOut(t, k, kept, c)
	age(t, k.Store, passphrase.BucketAttempt)
	wantLocked(t, k, kept, c, time.Minute)
	k.Clock.Advance(time.Hour)
	vaulttest.WantPassphrase(t, "guess", wrongTry(t, k, kept, c, false), &refusal.PassphraseError{RetryAfter: 5 * time.Minute})
	wantLocked(t, k, kept, c, 5*time.Minute)
}

func TestMissingIsNoTry(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	for range 3 * passphrase.AllTries {
		vaulttest.WantPassphrase(t, "RevealSecret(missing)", vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), ""), &refusal.PassphraseError{Missing: true})
	}
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
	lockOut(t, k, kept, c)
	vaulttest.WantPassphrase(t, "RevealSecret(missing, locked)", vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), ""), &refusal.PassphraseError{Missing: true})
}

// The attack: cut the power whenever a guess was wrong, so that it is not
// counted. The try is durable before the guess is looked at.
func TestTryIsCountedFirst(t *testing.T) {
	t.Parallel()
	var faulty *vaulttest.FaultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		faulty = &vaulttest.FaultyStore{Store: s}
		return faulty
	}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	failure := storage.ErrUnknownOutcome
	faulty.After.Store(&failure)
	before := secret.Hashes(k.Vault.Secrets)
	for range passphrase.NetworkTries {
		err := vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), "wrong")
		if errors.Is(err, refusal.ErrPassphrase) || !errors.Is(err, refusal.ErrUnavailable) {
			t.Errorf("RevealSecret(try not durable): got %v, want %v", err, refusal.ErrUnavailable)
		}
	}
	vaulttest.Want(t, "hashes of tries that are not durable", secret.Hashes(k.Vault.Secrets)-before, 0)
	k.Reopen(t)
	wantLocked(t, k, kept, c, time.Minute)
}

func TestExpiryTakesCounters(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{Passphrase: "right", TTL: new(time.Minute)})
	for c := range 3 {
		_ = wrongTry(t, k, kept, vaulttest.Caller(c), false)
	}
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 4)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}
