package secret_test

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// storm lets each of networks guess tries times, all at once, and returns how
// often a guess was looked at and how often it was refused before.
func storm(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, networks, tries int) (hashed, locked int32) {
	t.Helper()
	var looked, refused atomic.Int32
	var all sync.WaitGroup
	for i := range networks * tries {
		all.Go(func() {
			err := vaulttest.RetryBusy(func() error { return wrongTry(t, k, kept, vaulttest.Caller(i%networks), i%2 == 0) })
			switch {
			case errors.Is(err, refusal.ErrPassphrase):
				looked.Add(1)
			case errors.Is(err, refusal.ErrLocked):
				refused.Add(1)
			default:
				t.Errorf("guess: got %v, want %v or %v", err, refusal.ErrPassphrase, refusal.ErrLocked)
			}
		})
	}
	all.Wait()
	return looked.Load(), refused.Load()
}

// The attack: a hundred guesses at the same moment, before the first of them
// is counted. Each try is reserved before its guess is looked at, so five are.
func TestStormOfOneNetwork(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: "right"})
	hashed, locked := storm(t, k, kept, 1, 100)
	vaulttest.Want(t, "guesses looked at", hashed, passphrase.NetworkTries)
	vaulttest.Want(t, "guesses refused", locked, 100-passphrase.NetworkTries)
	k.Reopen(t)
	hashed, _ = storm(t, k, kept, 1, 20)
	vaulttest.Want(t, "guesses looked at after a restart", hashed, 0)
	vaulttest.Want(t, "RevealSecret(right)", k.MustReveal(t, vaulttest.Caller(7), kept.Secret.Key, "right"), "the text")
}

// The attack: the same from fifty networks. Twenty are looked at in all.
func TestStormOfManyNetworks(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: "right"})
	hashed, locked := storm(t, k, kept, 50, 10)
	vaulttest.Want(t, "guesses looked at", hashed, passphrase.AllTries)
	vaulttest.Want(t, "guesses refused", locked, 500-passphrase.AllTries)
	wantLocked(t, k, kept, vaulttest.Caller(60), time.Minute)
	k.Clock.Advance(time.Minute)
	vaulttest.Want(t, "RevealSecret(right)", k.MustReveal(t, vaulttest.Caller(1), kept.Secret.Key, "right"), "the text")
}

// The attack: guess from every address of one's own IPv6 network, and from one
// IPv4 address in several spellings. It is one network each.
func TestNetworks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		same bool
	}{
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true},
		{"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{"fe80::1%eth0", "fe80::2%eth1", true},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
	}
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for _, test := range tests {
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{Passphrase: "right"})
		a := caller.Caller{Network: caller.NetworkOf(netip.MustParseAddr(test.a))}
		b := caller.Caller{Network: caller.NetworkOf(netip.MustParseAddr(test.b))}
		_ = wrongTry(t, k, kept, a, false)
		left := 4
		if test.same {
			left = 3
		}
		vaulttest.WantPassphrase(t, "guess from "+test.b+" after "+test.a, wrongTry(t, k, kept, b, false), &refusal.PassphraseError{TriesLeft: left})
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for addr, masked := range map[string]string{
		"192.0.2.77": "192.0.2.0/24", "::ffff:192.0.2.77": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48",
	} {
		vaulttest.Want(t, "NetworkOf("+addr+").Masked()", caller.NetworkOf(netip.MustParseAddr(addr)).Masked(), masked)
	}
	vaulttest.Want(t, "NetworkOf(nothing).Masked()", caller.NetworkOf(netip.Addr{}).Masked(), "unknown")
}
