package quota_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/quota"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// unit is what a short secret takes: 256 bytes, nonce and tag.
const unit = 284

// bigText is so long that after giving two secrets up there is room for two
// more, although their receipts still count; big is what it takes.
const big = 32*256 + unit - 256

var bigText = caller.Text(strings.Repeat("x", 32*256-4))

// room is a limit that admits n big secrets with their receipts, and the
// receipts of two that ended besides.
func room(n int64) int64 { return n*(big+quota.ReceiptBytes) + 2*quota.ReceiptBytes }

// fill conceals n big secrets and then expects the quota to be used up.
func fill(t *testing.T, k *vaulttest.Kit, c caller.Caller, n int) (kept []secret.Concealed) {
	t.Helper()
	for range n {
		kept = append(kept, k.MustConceal(t, c, bigText, secret.Terms{}))
	}
	wantFull(t, k, c)
	return kept
}

func wantFull(t *testing.T, k *vaulttest.Kit, c caller.Caller) {
	t.Helper()
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, bigText, secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(quota used up)", err, refusal.ErrQuota)
}

func TestQuotaOfNetwork(t *testing.T) {
	t.Parallel()
	vaulttest.Want(t, "PaddedSize(1)", seal.PaddedSize(1), unit)
	vaulttest.Want(t, "PaddedSize(bigText)", seal.PaddedSize(len(bigText)), big)
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: room(3)}})
	c := vaulttest.Caller(1)
	kept := fill(t, k, c, 3)
	k.MustConceal(t, vaulttest.Caller(2), "another network", secret.Terms{})
	k.MustConceal(t, k.MustStoredAccount(t, caller.Caller{Network: c.Network}, "a"), "an account", secret.Terms{})

	k.MustReveal(t, vaulttest.Caller(9), kept[0].Secret.Key, "")
	k.MustBurn(t, vaulttest.Caller(9), kept[1].Metadata.Key, "")
	// What an account keeps is counted to the account and not to the network.
	fill(t, k, c, 2)
}

func TestQuotaInAll(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{TotalBytes: room(8)}})
	kept := fill(t, k, vaulttest.Caller(1), 6)
	wantFull(t, k, vaulttest.Caller(2))
	// The last quarter is for accounts.
	fill(t, k, k.MustStoredAccount(t, caller.Caller{}, "a"), 2)
	wantFull(t, k, k.MustStoredAccount(t, caller.Caller{}, "b"))
	k.MustReveal(t, vaulttest.Caller(9), kept[0].Secret.Key, "")
	fill(t, k, k.MustStoredAccount(t, caller.Caller{}, "a"), 1)
	wantFull(t, k, vaulttest.Caller(1))
}

// One account cannot fill the service. What it burns, what is opened and what a
// restart finds count toward it alone.
func TestQuotaOfAccount(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{AccountBytes: room(3)}})
	c := k.MustStoredAccount(t, caller.Caller{Network: vaulttest.Caller(1).Network}, "a")
	kept := fill(t, k, c, 3)
	k.MustConceal(t, k.MustStoredAccount(t, caller.Caller{Network: c.Network}, "b"), "another account", secret.Terms{})
	k.MustConceal(t, caller.Caller{Network: c.Network}, "anonymous", secret.Terms{})
	k.Reopen(t)
	k.MustReclaim(t)
	wantFull(t, k, c)
	k.MustReveal(t, vaulttest.Caller(9), kept[0].Secret.Key, "")
	k.MustBurn(t, c, kept[1].Metadata.Key, "")
	fill(t, k, c, 2)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 3*big+2*unit)
}

// The attack: take a /64 after the other out of one /48, as any home line can.
func TestQuotaOfWideNetwork(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: room(2)}})
	from := func(address string) caller.Caller {
		return caller.Caller{Network: caller.NetworkOf(netip.MustParseAddr(address))}
	}
	var kept []secret.Concealed
	for i := range 4 {
		kept = append(kept, fill(t, k, from(fmt.Sprintf("2001:db8:1:%d::1", i)), 2)...)
	}
	for range 2 {
		wantFull(t, k, from("2001:db8:1:9::1"))
		k.MustConceal(t, from("2001:db8:2::1"), "another /48", secret.Terms{})
		k.MustConceal(t, k.MustStoredAccount(t, caller.Caller{Network: from("2001:db8:1:9::1").Network}, "a"), "an account", secret.Terms{})
		k.Reopen(t)
		k.MustReclaim(t)
	}
	k.MustReveal(t, vaulttest.Caller(9), kept[0].Secret.Key, "")
	fill(t, k, from("2001:db8:1:9::1"), 1)
	// IPv4 addresses have no wider network.
	for i := range 5 {
		fill(t, k, from(fmt.Sprintf("192.0.2.%d", i)), 2)
	}
}

// Whatever happens at the same time, restarts in the middle of it included, what
// is counted in the end is what is there.
func TestQuotaIsExact(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	callers := []caller.Caller{vaulttest.Caller(1), vaulttest.Caller(2), k.MustStoredAccount(t, caller.Caller{}, "a"), k.MustStoredAccount(t, caller.Caller{}, "b"),
		{Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1::1"))}}
	for range 3 {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { churn(t, k, callers, rand.New(rand.NewPCG(uint64(i), 7))) })
		}
		all.Go(func() { k.MustReclaim(t) })
		all.Wait()
		k.Clock.Advance(time.Minute)
		k.MustSweep(t)
		usage, stored := k.Vault.Usage.Charges(), storedCharges(t.Context(), k.Store)
		if diff := cmp.Diff(stored, usage); diff != "" {
			t.Errorf("usage beside what is stored: -want +got\n%s", diff)
		}
		k.Reopen(t)
	}
}

// churn conceals, and ends some of it in each way, some of it twice at a time.
func churn(t *testing.T, k *vaulttest.Kit, callers []caller.Caller, random *rand.Rand) {
	t.Helper()
	for range 25 {
		c := callers[random.IntN(len(callers))]
		ttl := []time.Duration{time.Minute, time.Hour}[random.IntN(2)]
		kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, caller.Text(strings.Repeat("x", 1+random.IntN(1000))), secret.Terms{TTL: &ttl})
		vaulttest.Want(t, "ConcealSecret(text)", err, nil)
		memo := caller.Text(strings.Repeat("m", random.IntN(500)))
		ends := []func(){
			func() {
				_, _ = k.Vault.Secrets.RevealSecret(t.Context(), c, kept.Secret.Key.Expose(), secret.Opening{})
			},
			func() { _, _ = k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "") },
			func() {},
			func() {
				_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), memo)
				vaulttest.Want(t, "UpdateMemo(memo)", err, nil)
			},
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(ends[random.IntN(len(ends))])
		}
		both.Wait()
	}
}

func TestQuotaReleasedByExpiry(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: room(2)}})
	c := vaulttest.Caller(1)
	k.MustReclaim(t)
	for range 2 {
		k.MustConceal(t, c, bigText, secret.Terms{TTL: new(time.Minute)})
	}
	wantFull(t, k, c)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
	fill(t, k, c, 2)
}

// Neither a refusal nor a second burn gives bytes back.
func TestQuotaReleasedOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	a, b := k.MustConceal(t, c, "a", secret.Terms{}), k.MustConceal(t, c, "b", secret.Terms{Passphrase: "p"})
	k.MustReveal(t, c, a.Secret.Key, "")
	for range 3 {
		_ = vaulttest.RevealErr(t, k, c, a.Secret.Key.Expose(), "")
		_ = vaulttest.RevealErr(t, k, c, b.Secret.Key.Expose(), "wrong")
	}
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), unit)
}

func TestQuotaCountedAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: room(4)}})
	c := vaulttest.Caller(1)
	kept := fill(t, k, c, 4)
	k.MustReveal(t, c, kept[0].Secret.Key, "")
	k.Reopen(t)

	// Before the pass one more secret comes and one of the old ones goes.
	k.MustConceal(t, c, bigText, secret.Terms{})
	k.MustReveal(t, c, kept[1].Secret.Key, "")
	k.MustReclaim(t)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 3*big)
	fill(t, k, c, 1)

	k.MustReclaim(t) // a second pass finds nothing new
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 4*big)
	for _, left := range kept[2:] {
		k.MustReveal(t, c, left.Secret.Key, "")
	}
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 2*big)
}

// An end that failed during the pass leaves the count too low, and the end
// that succeeds after it must not lower it again.
func TestQuotaAfterFailedEnd(t *testing.T) {
	t.Parallel()
	var faulty vaulttest.FaultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		faulty.Store = s
		return &faulty
	}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "x", secret.Terms{})
	k.Reopen(t)
	failure := storage.ErrFull
	faulty.Before.Store(&failure)
	vaulttest.WantErr(t, "RevealSecret(full disk)", vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
	faulty.Before.Store(nil)
	k.MustReclaim(t)
	k.MustReveal(t, c, kept.Secret.Key, "")
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}
