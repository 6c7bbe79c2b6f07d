package vault_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/vaulttest"
)

// guess tries a wrong passphrase, by burning if burn is set.
func guess(t *testing.T, k *vaulttest.Kit, kept vault.Concealed, c vault.Caller, burn bool) error {
	t.Helper()
	if burn {
		_, err := k.Vault.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "wrong")
		return err
	}
	return revealErr(t, k, c, kept.Secret.Key.Expose(), "wrong")
}

// lockOut uses up the tries of c, with reveals and burns by turns.
func lockOut(t *testing.T, k *vaulttest.Kit, kept vault.Concealed, c vault.Caller) {
	t.Helper()
	for left := vault.NetworkTries - 1; left >= 0; left-- {
		wantPassphrase(t, "guess", guess(t, k, kept, c, left%2 == 0), &vault.PassphraseError{TriesLeft: left})
	}
	wantLocked(t, k, kept, c, vault.LockTime)
}

// wantLocked expects that even the right passphrase is refused, for reveal and
// burn alike.
func wantLocked(t *testing.T, k *vaulttest.Kit, kept vault.Concealed, c vault.Caller, left time.Duration) {
	t.Helper()
	err := revealErr(t, k, c, kept.Secret.Key.Expose(), "right")
	wantErr(t, "RevealSecret(locked)", err, vault.ErrLocked)
	if locked, ok := errors.AsType[*vault.LockedError](err); ok {
		want(t, "LockedError.RetryAfter", locked.RetryAfter, left)
	}
	_, err = k.Vault.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "right")
	wantErr(t, "BurnSecret(locked)", err, vault.ErrLocked)
}

// The attack: the finder of a link guesses its passphrase. Five tries, then
// the network is locked out of that secret for half an hour; nothing is lost
// for the one who knows it, on another network or later.
func TestFiveTriesOfANetwork(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	thief, owner := vaulttest.Caller(1), vaulttest.Caller(2)
	kept := k.MustConceal(t, owner, "the text", vault.Wish{Passphrase: "right"})
	other := k.MustConceal(t, owner, "other text", vault.Wish{Passphrase: "right"})
	lockOut(t, k, kept, thief)
	want(t, "RevealSecret(other secret)", k.MustReveal(t, thief, other.Secret.Key, "right"), "other text")

	k.Clock.Advance(vault.LockTime - time.Millisecond)
	wantLocked(t, k, kept, thief, time.Millisecond)
	k.Reopen(t)
	wantLocked(t, k, kept, thief, time.Millisecond)
	wantState(t, k, kept.Metadata.Key, vault.StateNew)
	k.Clock.Advance(time.Millisecond)
	wantPassphrase(t, "guess after the lock", guess(t, k, kept, thief, false), &vault.PassphraseError{TriesLeft: 4})
	want(t, "RevealSecret(right)", k.MustReveal(t, thief, kept.Secret.Key, "right"), "the text")
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
}

func TestOtherNetworkIsNotLocked(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, vault.Caller{}, "the text", vault.Wish{Passphrase: "right"})
	lockOut(t, k, kept, vaulttest.Caller(1))
	want(t, "RevealSecret(right)", k.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, "right"), "the text")
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
}

// The attack: the same from many networks. Twenty tries lock everybody out.
func TestTwentyTriesOfAll(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, vault.Caller{}, "the text", vault.Wish{Passphrase: "right"})
	for i := range vault.AllTries {
		left := min(vault.NetworkTries-1-i/5, vault.AllTries-1-i)
		wantPassphrase(t, "guess", guess(t, k, kept, vaulttest.Caller(i%5), i%3 == 0), &vault.PassphraseError{TriesLeft: left})
	}
	wantLocked(t, k, kept, vaulttest.Caller(99), vault.LockTime)
	k.Reopen(t)
	k.Clock.Advance(vault.LockTime - time.Millisecond)
	wantLocked(t, k, kept, vaulttest.Caller(98), time.Millisecond)
	k.Clock.Advance(time.Millisecond)
	want(t, "BurnSecret(right)", k.MustBurn(t, vaulttest.Caller(97), kept.Metadata.Key, "right").State, vault.StateBurned)
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
}

func TestTriesWindow(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", vault.Wish{Passphrase: "right"})
	wantPassphrase(t, "first guess", guess(t, k, kept, c, false), &vault.PassphraseError{TriesLeft: 4})
	k.Clock.Advance(vault.TriesWindow - time.Millisecond)
	k.Reopen(t)
	wantPassphrase(t, "guess within the window", guess(t, k, kept, c, false), &vault.PassphraseError{TriesLeft: 3})
	k.Clock.Advance(time.Millisecond)
	wantPassphrase(t, "guess after the window", guess(t, k, kept, c, false), &vault.PassphraseError{TriesLeft: 4})
}

func TestMissingIsNoTry(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", vault.Wish{Passphrase: "right"})
	for range 3 * vault.AllTries {
		wantPassphrase(t, "RevealSecret(missing)", revealErr(t, k, c, kept.Secret.Key.Expose(), ""), &vault.PassphraseError{Missing: true})
	}
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
	lockOut(t, k, kept, c)
	wantPassphrase(t, "RevealSecret(missing, locked)", revealErr(t, k, c, kept.Secret.Key.Expose(), ""), &vault.PassphraseError{Missing: true})
}

// The attack: cut the power whenever a guess was wrong, so that it is not
// counted. The try is durable before the guess is looked at.
func TestTryIsCountedFirst(t *testing.T) {
	t.Parallel()
	var faulty *faultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		faulty = &faultyStore{Store: s}
		return faulty
	}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", vault.Wish{Passphrase: "right"})
	failure := storage.ErrUnknownOutcome
	faulty.after.Store(&failure)
	for range vault.NetworkTries {
		err := revealErr(t, k, c, kept.Secret.Key.Expose(), "wrong")
		if errors.Is(err, vault.ErrPassphrase) || !errors.Is(err, vault.ErrUnavailable) {
			t.Errorf("RevealSecret(try not durable): got %v, want %v", err, vault.ErrUnavailable)
		}
	}
	k.Reopen(t)
	wantLocked(t, k, kept, c, vault.LockTime)
}

func TestExpiryTakesCounters(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, vault.Caller{}, "x", vault.Wish{Passphrase: "right", TTL: new(time.Minute)})
	for c := range 3 {
		_ = guess(t, k, kept, vaulttest.Caller(c), false)
	}
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 4)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
}
