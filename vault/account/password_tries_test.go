package account_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// tryPassword signs in from a network.
func (k *accountKit) tryPassword(t *testing.T, network int, address, password caller.Text) error {
	t.Helper()
	_, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(network), address, password, false)
	return err
}

func (k *accountKit) wantTry(t *testing.T, network int, address, password caller.Text, wanted error) {
	t.Helper()
	vaulttest.WantErr(t, "CreateSession(address, password)", k.tryPassword(t, network, address, password), wanted)
}

// The attack: a stranger guesses the password of an address. Five tries are
// free; each further one costs a network a longer pause, whether or not there
// is an account. The right password is then refused, too, and a restart
// forgives nothing. There is no end: the pauses stay at eight hours.
func TestPasswordPausesOfANetwork(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]caller.Text{"account": ada, "no account": bob} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newAccountKit(t, vaulttest.Options{})
			k.member(t, ada)
			for range 5 {
				k.wantTry(t, 1, address, "wrong password", refusal.ErrCredentials)
			}
			k.wantTry(t, 2, address, "wrong password", refusal.ErrCredentials)
			for _, pause := range []time.Duration{
				time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
				8 * time.Hour, 8 * time.Hour, 8 * time.Hour,
			} {
				k.wantPause(t, 1, address, pause)
				k.Reopen(t)
				k.Clock.Advance(pause - time.Second)
				k.wantPause(t, 1, address, time.Second)
				k.Clock.Advance(time.Second)
				k.wantTry(t, 1, address, "wrong password", refusal.ErrCredentials)
			}
		})
	}
}

// wantPause fails the test unless the right password is refused for so long.
func (k *accountKit) wantPause(t *testing.T, network int, address caller.Text, pause time.Duration) {
	t.Helper()
	err := k.tryPassword(t, network, address, rightPassword)
	vaulttest.WantErr(t, "CreateSession(in a pause)", err, refusal.ErrLocked)
	if locked, ok := errors.AsType[*refusal.LockedError](err); ok {
		vaulttest.Want(t, "LockedError.RetryAfter", locked.RetryAfter, pause)
	}
}

// Thirty tries are free in all, however many networks they come from.
func TestPasswordTriesOfAll(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for i := range 30 {
		k.wantTry(t, 10+i/4, ada, "wrong password", refusal.ErrCredentials)
	}
	k.wantPause(t, 99, ada, time.Minute)
	k.Clock.Advance(time.Minute)
	k.wantTry(t, 99, ada, "wrong password", refusal.ErrCredentials)
	k.wantPause(t, 98, ada, 5*time.Minute)
	k.Clock.Advance(5 * time.Minute)
	k.wantTry(t, 99, ada, rightPassword, nil)
}

// The attack: guess from ever new networks, so that the owner is kept out. The
// networks that the owner signed in from lately have tries of their own; at
// most eight of them, and for 90 days.
func TestStrangersCannotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword})
	const home = 200
	k.wantTry(t, home, ada, rightPassword, nil)
	strangers := func() {
		for i := range 40 {
			_ = k.tryPassword(t, 10+i, ada, "wrong password")
		}
		vaulttest.WantErr(t, "CreateSession(from elsewhere)", k.tryPassword(t, 99, ada, rightPassword), refusal.ErrLocked)
	}
	strangers()
	k.Reopen(t)
	k.wantTry(t, home, ada, rightPassword, nil)
	// A stranger on the owner's network has five tries of it, and no more.
	for range account.PasswordNetworkTries {
		k.wantTry(t, home, ada, "wrong password", refusal.ErrCredentials)
	}
	k.wantPause(t, home, ada, time.Minute)
	k.Clock.Advance(time.Minute)
	k.wantTry(t, home, ada, rightPassword, nil)

	// Eight others take its place.
	k.Clock.Advance(8 * time.Hour)
	for i := range 8 {
		k.wantTry(t, home+1+i, ada, rightPassword, nil)
	}
	strangers()
	k.wantTry(t, home+8, ada, rightPassword, nil)
	vaulttest.WantErr(t, "CreateSession(from the ninth network)", k.tryPassword(t, home, ada, rightPassword), refusal.ErrLocked)

	// After 90 days none of them counts.
	k.Clock.Advance(90 * 24 * time.Hour)
	strangers()
	vaulttest.WantErr(t, "CreateSession(after 90 days)", k.tryPassword(t, home+8, ada, rightPassword), refusal.ErrLocked)
}

// A reset takes the account back, and the networks of its former user no longer
// count.
func TestResetForgetsNetworks(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword})
	k.wantTry(t, 200, ada, rightPassword, nil)
	_, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), ada, otherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	for i := range 30 {
		k.wantTry(t, 10+i/4, ada, "wrong password", refusal.ErrCredentials)
	}
	vaulttest.WantErr(t, "CreateSession(network of before)", k.tryPassword(t, 200, ada, otherPassword), refusal.ErrLocked)
}

// Tries add up for a week after the last one, and then nothing of them is
// kept.
func TestPasswordTriesAreForgotten(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for range 4 {
		k.wantTry(t, 1, ada, "wrong password", refusal.ErrCredentials)
		k.Clock.Advance(account.PasswordTriesKept - time.Hour)
	}
	k.wantTry(t, 1, ada, "wrong password", refusal.ErrCredentials)
	k.wantPause(t, 1, ada, time.Minute)
	k.leap(t, account.PasswordTriesKept)
	vaulttest.Want(t, "counters after a week", len(vaulttest.RowsIn(t, k.Store, account.BucketTries)), 0)
	for range 5 {
		k.wantTry(t, 1, ada, "wrong password", refusal.ErrCredentials)
	}
}

// The attack: keep the service busy with hashes by guessing on. A caller who
// has to pause costs none, for an unknown address as well.
func TestLockedSignInsCostNoHash(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for _, address := range []caller.Text{ada, bob} {
		before := account.Hashes(k.Vault.Passwords)
		for range account.PasswordNetworkTries {
			k.wantTry(t, 1, address, "wrong password", refusal.ErrCredentials)
		}
		vaulttest.Want(t, "hashes of the free tries", account.Hashes(k.Vault.Passwords)-before, account.PasswordNetworkTries)
		for range 10 {
			k.wantTry(t, 1, address, rightPassword, refusal.ErrLocked)
		}
		vaulttest.Want(t, "hashes in a pause", account.Hashes(k.Vault.Passwords)-before, account.PasswordNetworkTries)
	}
}

// The right password is no try, and forgives those of its network.
func TestRightPasswordsAreNotCounted(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for range 40 {
		k.wantTry(t, 1, ada, rightPassword, nil)
	}
	vaulttest.Want(t, "counters after right passwords", len(vaulttest.RowsIn(t, k.Store, account.BucketTries)), 0)
	for range 3 {
		for range 4 {
			k.wantTry(t, 1, ada, "wrong password", refusal.ErrCredentials)
		}
		k.wantTry(t, 1, ada, rightPassword, nil)
	}
}

// The attack: guesses at once, so that each is tested before any is counted.
// No more are tested than the network has tries.
func TestPasswordStorm(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	var tested, refused atomic.Int32
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			err := vaulttest.RetryBusy(func() error { return k.tryPassword(t, 1, ada, "wrong password") })
			switch {
			case errors.Is(err, refusal.ErrCredentials):
				tested.Add(1)
			case errors.Is(err, refusal.ErrLocked):
				refused.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "guesses that were tested", tested.Load(), 5)
	vaulttest.Want(t, "guesses that were refused", refused.Load(), 35)
	// Of one network's guesses the trail keeps the first and those that a pause follows.
	vaulttest.Want(t, "audit rows of wrong passwords", k.count(t, audit.SignInFailed), 2)
}

// Whatever asks for the password shares the counters.
func TestEveryPasswordCountsTries(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	c := k.member(t, ada)
	for i := range 5 {
		var err error
		switch i % 3 {
		case 0:
			err = k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, "wrong password", otherPassword)
		case 1:
			_, err = k.Vault.Accounts.DestroyAccount(t.Context(), c, "wrong password")
		case 2:
			err = k.Vault.Accounts.RequestAddressChange(t.Context(), c, bob, "wrong password")
		}
		vaulttest.WantErr(t, "wrong password", err, refusal.ErrCredentials)
	}
	err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, rightPassword, otherPassword)
	vaulttest.WantErr(t, "ChangeAccountPassword(locked)", err, refusal.ErrLocked)
}
