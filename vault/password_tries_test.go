package vault_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/vault"
	"hush/vault/vaulttest"
)

// tryPassword signs in from a network.
func (k *accountKit) tryPassword(t *testing.T, network int, address, password vault.Text) error {
	t.Helper()
	_, err := k.Vault.CreateSession(t.Context(), vaulttest.Caller(network), address, password, false)
	return err
}

func (k *accountKit) wantTry(t *testing.T, network int, address, password vault.Text, wanted error) {
	t.Helper()
	wantErr(t, "CreateSession(address, password)", k.tryPassword(t, network, address, password), wanted)
}

// The attack: somebody guesses the password of an address. Five tries lock the
// network out of it for half an hour, whether or not there is an account; the
// right password is then refused, too, and a restart forgives nothing.
func TestPasswordTriesOfANetwork(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]vault.Text{"account": ada, "no account": bob} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newAccountKit(t, vaulttest.Options{})
			k.member(t, ada)
			for range 5 {
				k.wantTry(t, 1, address, "wrong password", vault.ErrCredentials)
			}
			err := k.tryPassword(t, 1, address, rightPassword)
			wantErr(t, "CreateSession(locked)", err, vault.ErrLocked)
			if locked, ok := errors.AsType[*vault.LockedError](err); ok {
				want(t, "LockedError.RetryAfter", locked.RetryAfter, 30*time.Minute)
			}
			k.Reopen(t)
			k.Clock.Advance(30*time.Minute - time.Second)
			k.wantTry(t, 1, address, rightPassword, vault.ErrLocked)
			k.wantTry(t, 2, address, "wrong password", vault.ErrCredentials)
			k.Clock.Advance(time.Second)
			k.wantTry(t, 1, address, "wrong password", vault.ErrCredentials)
			if address == ada {
				k.wantTry(t, 1, address, rightPassword, nil)
			}
		})
	}
}

// Thirty tries lock everybody out, however many networks they come from.
func TestPasswordTriesOfAll(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for i := range 30 {
		k.wantTry(t, 10+i/4, ada, "wrong password", vault.ErrCredentials)
	}
	k.wantTry(t, 99, ada, rightPassword, vault.ErrLocked)
	k.Clock.Advance(30 * time.Minute)
	k.wantTry(t, 99, ada, rightPassword, nil)
}

// Tries do not add up for longer than a quarter of an hour.
func TestPasswordTriesAreForgotten(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for range 3 {
		for range 4 {
			k.wantTry(t, 1, ada, "wrong password", vault.ErrCredentials)
		}
		k.Clock.Advance(15 * time.Minute)
	}
	k.leap(t, time.Hour)
	want(t, "counters after an hour", len(rows(t, k.Store, vault.BucketTries)), 0)
}

// The right password is no try, and forgives those of its network.
func TestRightPasswordsAreNotCounted(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.member(t, ada)
	for range 40 {
		k.wantTry(t, 1, ada, rightPassword, nil)
	}
	want(t, "counters after right passwords", len(rows(t, k.Store, vault.BucketTries)), 0)
	for range 3 {
		for range 4 {
			k.wantTry(t, 1, ada, "wrong password", vault.ErrCredentials)
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
			err := patient(func() error { return k.tryPassword(t, 1, ada, "wrong password") })
			switch {
			case errors.Is(err, vault.ErrCredentials):
				tested.Add(1)
			case errors.Is(err, vault.ErrLocked):
				refused.Add(1)
			}
		})
	}
	all.Wait()
	want(t, "guesses that were tested", tested.Load(), 5)
	want(t, "guesses that were refused", refused.Load(), 35)
	// Of one network's guesses the trail keeps the first and the last.
	want(t, "audit rows of wrong passwords", k.count(t, vault.AuditSignInFailed), 2)
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
			err = k.Vault.ChangeAccountPassword(t.Context(), c, "wrong password", otherPassword)
		case 1:
			_, err = k.Vault.DestroyAccount(t.Context(), c, "wrong password")
		case 2:
			err = k.Vault.RequestAddressChange(t.Context(), c, bob, "wrong password")
		}
		wantErr(t, "wrong password", err, vault.ErrCredentials)
	}
	err := k.Vault.ChangeAccountPassword(t.Context(), c, rightPassword, otherPassword)
	wantErr(t, "ChangeAccountPassword(locked)", err, vault.ErrLocked)
}
