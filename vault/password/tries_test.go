package password_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// tryPassword signs in from a network.
func tryPassword(t *testing.T, k *vaulttest.AccountKit, network int, address, password caller.Text) error {
	t.Helper()
	_, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(network), address, password, false)
	return err
}

func wantTry(t *testing.T, k *vaulttest.AccountKit, network int, address, password caller.Text, wanted error) {
	t.Helper()
	vaulttest.WantErr(t, "CreateSession(address, password)", tryPassword(t, k, network, address, password), wanted)
}

// The attack: a stranger guesses the password of an address. Five tries are
// free; each further one costs a network a longer pause, whether or not there
// is an account. The right password is then refused, too, and a restart
// forgives nothing. There is no end: the pauses stay at eight hours.
func TestPasswordPausesOfANetwork(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]caller.Text{"account": vaulttest.Ada, "no account": vaulttest.Bob} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.NewAccountKit(t, vaulttest.Options{})
			k.MustAccount(t, vaulttest.Ada)
			for range 5 {
				wantTry(t, k, 1, address, "wrong password", refusal.ErrCredentials)
			}
			wantTry(t, k, 2, address, "wrong password", refusal.ErrCredentials)
			for _, pause := range []time.Duration{
				time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
				8 * time.Hour, 8 * time.Hour, 8 * time.Hour,
			} {
				wantPause(t, k, 1, address, pause)
				k.Reopen(t)
				k.Clock.Advance(pause - time.Second)
				wantPause(t, k, 1, address, time.Second)
				k.Clock.Advance(time.Second)
				wantTry(t, k, 1, address, "wrong password", refusal.ErrCredentials)
			}
		})
	}
}

// wantPause fails the test unless the right password is refused for so long.
func wantPause(t *testing.T, k *vaulttest.AccountKit, network int, address caller.Text, pause time.Duration) {
	t.Helper()
	err := tryPassword(t, k, network, address, vaulttest.Password)
	vaulttest.WantErr(t, "CreateSession(in a pause)", err, refusal.ErrLocked)
	if locked, ok := errors.AsType[*refusal.LockedError](err); ok {
		vaulttest.Want(t, "LockedError.RetryAfter", locked.RetryAfter, pause)
	}
}

// Thirty tries are free in all, however many networks they come from.
func TestPasswordTriesOfAll(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustAccount(t, vaulttest.Ada)
	for i := range 30 {
		wantTry(t, k, 10+i/4, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	}
	wantPause(t, k, 99, vaulttest.Ada, time.Minute)
	k.Clock.Advance(time.Minute)
	wantTry(t, k, 99, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	wantPause(t, k, 98, vaulttest.Ada, 5*time.Minute)
	k.Clock.Advance(5 * time.Minute)
	wantTry(t, k, 99, vaulttest.Ada, vaulttest.Password, nil)
}

// The attack: guess from ever new networks, so that the owner is kept out. The
// networks that the owner signed in from lately have tries of their own; at
// most eight of them, and for 90 days.
func TestStrangersCannotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
	const home = 200
	wantTry(t, k, home, vaulttest.Ada, vaulttest.Password, nil)
	strangers := func() {
		for i := range 40 {
			_ = tryPassword(t, k, 10+i, vaulttest.Ada, "wrong password")
		}
		vaulttest.WantErr(t, "CreateSession(from elsewhere)", tryPassword(t, k, 99, vaulttest.Ada, vaulttest.Password), refusal.ErrLocked)
	}
	strangers()
	k.Reopen(t)
	wantTry(t, k, home, vaulttest.Ada, vaulttest.Password, nil)
	// A stranger on the owner's network has five tries of it, and no more.
	for range password.NetworkTries {
		wantTry(t, k, home, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	}
	wantPause(t, k, home, vaulttest.Ada, time.Minute)
	k.Clock.Advance(time.Minute)
	wantTry(t, k, home, vaulttest.Ada, vaulttest.Password, nil)

	// Eight others take its place.
	k.Clock.Advance(8 * time.Hour)
	for i := range 8 {
		wantTry(t, k, home+1+i, vaulttest.Ada, vaulttest.Password, nil)
	}
	strangers()
	wantTry(t, k, home+8, vaulttest.Ada, vaulttest.Password, nil)
	vaulttest.WantErr(t, "CreateSession(from the ninth network)", tryPassword(t, k, home, vaulttest.Ada, vaulttest.Password), refusal.ErrLocked)

	// After 90 days none of them counts.
	k.Clock.Advance(90 * 24 * time.Hour)
	strangers()
	vaulttest.WantErr(t, "CreateSession(after 90 days)", tryPassword(t, k, home+8, vaulttest.Ada, vaulttest.Password), refusal.ErrLocked)
}

// A reset takes the account back, and the networks of its former user no longer
// count.
func TestResetForgetsNetworks(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
	wantTry(t, k, 200, vaulttest.Ada, vaulttest.Password, nil)
	_, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	for i := range 30 {
		wantTry(t, k, 10+i/4, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	}
	vaulttest.WantErr(t, "CreateSession(network of before)", tryPassword(t, k, 200, vaulttest.Ada, vaulttest.OtherPassword), refusal.ErrLocked)
}

// Tries add up for a week after the last one, and then nothing of them is
// kept.
func TestPasswordTriesAreForgotten(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustAccount(t, vaulttest.Ada)
	for range 4 {
		wantTry(t, k, 1, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
		k.Clock.Advance(password.TriesKept - time.Hour)
	}
	wantTry(t, k, 1, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	wantPause(t, k, 1, vaulttest.Ada, time.Minute)
	k.Leap(t, password.TriesKept)
	vaulttest.Want(t, "counters after a week", len(vaulttest.RowsIn(t, k.Store, password.BucketTries)), 0)
	for range 5 {
		wantTry(t, k, 1, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	}
}

// The attack: keep the service busy with hashes by guessing on. A caller who
// has to pause costs none, for an unknown address as well.
func TestLockedSignInsCostNoHash(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustAccount(t, vaulttest.Ada)
	for _, address := range []caller.Text{vaulttest.Ada, vaulttest.Bob} {
		before := int(k.Vault.Monitor.State().Hashed)
		for range password.NetworkTries {
			wantTry(t, k, 1, address, "wrong password", refusal.ErrCredentials)
		}
		vaulttest.Want(t, "hashes of the free tries", int(k.Vault.Monitor.State().Hashed)-before, password.NetworkTries)
		for range 10 {
			wantTry(t, k, 1, address, vaulttest.Password, refusal.ErrLocked)
		}
		vaulttest.Want(t, "hashes in a pause", int(k.Vault.Monitor.State().Hashed)-before, password.NetworkTries)
	}
}

// The right password is no try, and forgives those of its network.
func TestRightPasswordsAreNotCounted(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustAccount(t, vaulttest.Ada)
	for range 40 {
		wantTry(t, k, 1, vaulttest.Ada, vaulttest.Password, nil)
	}
	vaulttest.Want(t, "counters after right passwords", len(vaulttest.RowsIn(t, k.Store, password.BucketTries)), 0)
	for range 3 {
		for range 4 {
			wantTry(t, k, 1, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
		}
		wantTry(t, k, 1, vaulttest.Ada, vaulttest.Password, nil)
	}
}

// The attack: guesses at once, so that each is tested before any is counted.
// No more are tested than the network has tries.
func TestPasswordStorm(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustAccount(t, vaulttest.Ada)
	var tested, refused atomic.Int32
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			err := vaulttest.RetryBusy(func() error { return tryPassword(t, k, 1, vaulttest.Ada, "wrong password") })
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
	vaulttest.Want(t, "audit rows of wrong passwords", k.AuditCount(t, audit.SignInFailed), 2)
}

// Whatever asks for the password shares the counters.
func TestEveryPasswordCountsTries(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	c := k.MustAccount(t, vaulttest.Ada)
	for i := range 5 {
		var err error
		switch i % 3 {
		case 0:
			err = k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, "wrong password", vaulttest.OtherPassword)
		case 1:
			_, err = k.Vault.DestroyAccount(t.Context(), c, "wrong password")
		case 2:
			err = k.Vault.SignUps.RequestAddressChange(t.Context(), c, vaulttest.Bob, "wrong password")
		}
		vaulttest.WantErr(t, "wrong password", err, refusal.ErrCredentials)
	}
	err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, vaulttest.Password, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ChangeAccountPassword(locked)", err, refusal.ErrLocked)
}
