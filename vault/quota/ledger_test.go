package quota_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/storage"
	"hush/testtier/property"
	"hush/vault/caller"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// clusterKits returns nodes of one store.
func clusterKits(t *testing.T, c *vaulttest.Cluster, number int, opts vaulttest.Options) (kits []*vaulttest.Kit) {
	t.Helper()
	opts.Manual = true
	for i := range number {
		kits = append(kits, c.Node(t, string(rune('a'+i)), opts))
	}
	return kits
}

// advanceAll moves the clocks of nodes, which send their heartbeats.
func advanceAll(t *testing.T, kits []*vaulttest.Kit, d time.Duration) {
	t.Helper()
	for _, k := range kits {
		k.Clock.Advance(d)
		vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
	}
}

// The attack: fill each node behind the balancer up to the limit. What one node
// holds counts at the others a moment later, and what one node ends is free at
// all of them.
func TestQuotaOverNodes(t *testing.T) {
	t.Parallel()
	kits := clusterKits(t, vaulttest.NewCluster(t), 3, vaulttest.Options{Limits: caller.Limits{
		NetworkBytes: room(3), AccountBytes: room(4), TotalBytes: room(100),
	}})
	network := vaulttest.Caller(1)
	account := kits[0].MustStoredAccount(t, caller.Caller{}, "a")
	var kept []secret.Concealed
	for i := range 3 {
		kept = append(kept, kits[i].MustConceal(t, network, bigText, secret.Terms{}))
		advanceAll(t, kits, time.Second)
	}
	fill(t, kits[1], account, 4)
	advanceAll(t, kits, time.Second)
	for _, k := range kits {
		wantFull(t, k, network)
		wantFull(t, k, account)
		k.MustConceal(t, vaulttest.Caller(2), "another network", secret.Terms{})
	}
	kits[2].MustReveal(t, vaulttest.Caller(9), kept[0].Secret.Key, "")
	kits[0].MustBurn(t, vaulttest.Caller(9), kept[2].Metadata.Key, "")
	for _, k := range kits[:2] {
		k.MustConceal(t, network, bigText, secret.Terms{})
		advanceAll(t, kits, time.Second)
	}
	wantFull(t, kits[2], network)
}

// A machine's clock is set back, so that its time stands still for a while. What
// was read of other nodes grows old all the same.
func TestQuotaWhileTimeStandsStill(t *testing.T) {
	t.Parallel()
	kits := clusterKits(t, vaulttest.NewMemoryCluster(t), 2, vaulttest.Options{Limits: caller.Limits{NetworkBytes: room(3)}})
	network := vaulttest.Caller(1)
	kits[0].Clock.Advance(-time.Minute)
	kits[0].MustConceal(t, network, bigText, secret.Terms{})
	fill(t, kits[1], network, 2)
	kits[0].Clock.Advance(time.Second)
	wantFull(t, kits[0], network)
}

// The total holds over nodes, and so does the part of it that is for anonymous
// callers.
func TestQuotaInAllOverNodes(t *testing.T) {
	t.Parallel()
	kits := clusterKits(t, vaulttest.NewCluster(t), 2, vaulttest.Options{Limits: caller.Limits{TotalBytes: room(8)}})
	fill(t, kits[0], vaulttest.Caller(1), 6)
	wantFull(t, kits[1], vaulttest.Caller(2))
	fill(t, kits[1], kits[1].MustStoredAccount(t, caller.Caller{}, "a"), 2)
	advanceAll(t, kits, time.Second)
	wantFull(t, kits[0], kits[0].MustStoredAccount(t, caller.Caller{}, "b"))
}

// However many conceal at once, a node exceeds no limit by what it counts
// itself.
func TestQuotaAtOnceOnANode(t *testing.T) {
	t.Parallel()
	kits := clusterKits(t, vaulttest.NewCluster(t), 1, vaulttest.Options{Limits: caller.Limits{NetworkBytes: room(3)}})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := kits[0].Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), bigText, secret.Terms{})
			if err != nil && !errors.Is(err, refusal.ErrQuota) {
				t.Errorf("ConcealSecret(at once): got %v, want nil or ErrQuota", err)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "KeptBytes()", kits[0].MustLiveBytes(t), 3*big)
}

// A node that dies leaves what it counted. A node that takes its number goes on
// from there, and counts nothing anew.
func TestQuotaOutlivesNodes(t *testing.T) {
	t.Parallel()
	c, opts := vaulttest.NewCluster(t), vaulttest.Options{Limits: caller.Limits{NetworkBytes: room(3)}}
	kits := clusterKits(t, c, 2, opts)
	kits[0].MustConceal(t, vaulttest.Caller(1), bigText, secret.Terms{})
	kits[1].MustConceal(t, vaulttest.Caller(1), bigText, secret.Terms{})
	kits[1].Close(t)
	later := c.Node(t, "later", vaulttest.Options{Manual: true, Limits: opts.Limits, Start: kits[0].Clock.Now()})
	later.MustConceal(t, vaulttest.Caller(1), bigText, secret.Terms{})
	wantFull(t, later, vaulttest.Caller(1))
	wantCounted(t, c.Store)
}

// wantCounted fails the test unless the ledger has exactly what is stored.
func wantCounted(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s storage.Store) {
	t.Helper()
	stored, err := countStored(context.Background(), s)
	if err != nil {
		t.Fatalf("countStored(): got %v, want nil", err)
	}
	counted, err := quota.LedgerCharges(context.Background(), s)
	if err != nil {
		t.Fatalf("LedgerCharges(): got %v, want nil", err)
	}
	if diff := cmp.Diff(stored, counted); diff != "" {
		t.Fatalf("ledger beside what is stored: -want +got\n%s", diff)
	}
}

// No sequence of commands at several nodes, whatever becomes of their commits,
// makes the nodes together count other bytes than those that are stored.
func TestLedgerStateMachine(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		c := vaulttest.NewCluster(t)
		var stores []*vaulttest.FaultyStore
		kits := clusterKits(t, c, 3, vaulttest.Options{
			Limits: caller.Limits{NetworkBytes: 8 << 10, AccountBytes: 16 << 10, TotalBytes: 64 << 10},
			WrapStore: func(s storage.Store) storage.Store {
				stores = append(stores, &vaulttest.FaultyStore{Store: s})
				return stores[len(stores)-1]
			},
		})
		defer func() {
			for _, k := range kits {
				k.Close(t)
			}
		}()
		callers := []caller.Caller{
			vaulttest.Caller(1), {Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1:1::1"))},
			{Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1:2::1"))}, kits[0].MustStoredAccount(t, caller.Caller{}, "a"),
		}
		var kept []secret.Concealed
		some := func(rt *rapid.T, do func(k *vaulttest.Kit, one secret.Concealed)) {
			if len(kept) > 0 {
				do(kits[rapid.IntRange(0, len(kits)-1).Draw(rt, "node")], kept[rapid.IntRange(0, len(kept)-1).Draw(rt, "secret")])
			}
		}
		conceal := func(rt *rapid.T, k *vaulttest.Kit) {
			text := caller.Text(strings.Repeat("x", rapid.IntRange(1, 2000).Draw(rt, "size")))
			ttl := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(rt, "ttl")
			one, err := k.Vault.Secrets.ConcealSecret(t.Context(), rapid.SampledFrom(callers).Draw(rt, "caller"), text, secret.Terms{TTL: &ttl})
			if err == nil {
				kept = append(kept, one)
			} else if !errors.Is(err, refusal.ErrQuota) && !errors.Is(err, refusal.ErrUnavailable) {
				rt.Fatalf("ConcealSecret(text): got %v, want nil, ErrQuota or ErrUnavailable", err)
			}
		}
		memo := func(rt *rapid.T, k *vaulttest.Kit, one secret.Concealed) {
			text := caller.Text(strings.Repeat("m", rapid.IntRange(0, 500).Draw(rt, "memo")))
			_, _ = k.Vault.Receipts.UpdateMemo(t.Context(), vaulttest.Caller(2), one.Metadata.Key.Expose(), text)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"conceal": func(rt *rapid.T) { conceal(rt, kits[rapid.IntRange(0, len(kits)-1).Draw(rt, "node")]) },
			"memo": func(rt *rapid.T) {
				some(rt, func(k *vaulttest.Kit, one secret.Concealed) { memo(rt, k, one) })
			},
			"reveal": func(rt *rapid.T) {
				some(rt, func(k *vaulttest.Kit, one secret.Concealed) {
					_, _ = k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), one.Secret.Key.Expose(), secret.Opening{})
				})
			},
			"burn": func(rt *rapid.T) {
				some(rt, func(k *vaulttest.Kit, one secret.Concealed) {
					_, _ = k.Vault.Burns.BurnGuarded(t.Context(), callers[3], one.Metadata.Key.Expose(), "")
				})
			},
			"advance": func(rt *rapid.T) {
				advanceAll(t, kits, rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour}).Draw(rt, "by"))
			},
			"sweep": func(rt *rapid.T) {
				_, _ = kits[rapid.IntRange(0, len(kits)-1).Draw(rt, "node")].Vault.Sweep(t.Context())
			},
			// The node lives on after an update whose outcome it does not learn.
			"fail": func(rt *rapid.T) {
				at := rapid.IntRange(0, 2).Draw(rt, "node")
				fault := &stores[at].Before
				if rapid.Bool().Draw(rt, "applied") {
					fault = &stores[at].After
				}
				fault.Store(new(storage.ErrUnknownOutcome))
				conceal(rt, kits[at])
				some(rt, func(_ *vaulttest.Kit, one secret.Concealed) {
					memo(rt, kits[at], one)
					_, _ = kits[at].Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), one.Secret.Key.Expose(), secret.Opening{})
				})
				fault.Store(nil)
			},
			"": func(rt *rapid.T) { wantCounted(rt, c.Store) },
		})
	})
}

// A store that was filled elsewhere has no rows of usage. It is counted while
// its nodes work, and then exact.
func TestLedgerCountsAFilledStore(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		c := vaulttest.NewCluster(t)
		kits := clusterKits(t, c, 1, vaulttest.Options{})
		account := kits[0].MustStoredAccount(t, caller.Caller{}, "a")
		var kept []secret.Concealed
		conceal := func(k *vaulttest.Kit) {
			kept = append(kept, k.MustConceal(t, vaulttest.Caller(len(kept)%3), "x", secret.Terms{}), k.MustConceal(t, account, "y", secret.Terms{}))
		}
		for range rapid.IntRange(0, 20).Draw(rt, "secrets") {
			conceal(kits[0])
		}
		kits[0].Close(t)
		for key := range (&vaulttest.Member{Kit: &vaulttest.Kit{Store: c.Store}}).RowsOf(t, quota.BucketUsage) {
			vaulttest.Put(t, c.Store, quota.BucketUsage, []byte(key), nil)
		}
		kits = []*vaulttest.Kit{}
		for i := range 2 {
			kits = append(kits, c.Node(t, fmt.Sprint(i), vaulttest.Options{Manual: true, WrapStore: nil}))
			defer kits[i].Close(t)
		}
		for range rapid.IntRange(0, 10).Draw(rt, "changes") {
			conceal(kits[rapid.IntRange(0, len(kits)-1).Draw(rt, "node")])
			one := kept[rapid.IntRange(0, len(kept)-1).Draw(rt, "secret")]
			_, _ = kits[rapid.IntRange(0, len(kits)-1).Draw(rt, "node")].Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), one.Secret.Key.Expose(), secret.Opening{})
		}
		kits[1].MustReclaim(t)
		wantCounted(rt, c.Store)
	})
}

// What began on one node and ended on another leaves no rows behind for ever.
func TestLedgerIsTidied(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	kits := clusterKits(t, c, 2, vaulttest.Options{})
	for i := range 10 {
		one := kits[0].MustConceal(t, vaulttest.Caller(i), "x", secret.Terms{TTL: new(time.Minute)})
		if i > 0 {
			kits[1].MustReveal(t, vaulttest.Caller(1), one.Secret.Key, "")
		}
	}
	receipts := func() int { return len(vaulttest.RowsIn(t, c.Store, receipt.BucketMetadata)) }
	for range 100 {
		if receipts() == 0 {
			break
		}
		advanceAll(t, kits, 30*time.Minute)
		kits[1].MustSweep(t)
	}
	vaulttest.Want(t, "receipts", receipts(), 0)
	kits[1].MustSweep(t)
	wantCounted(t, c.Store)
	vaulttest.Want(t, "rows of usage: the state and both totals", len(vaulttest.RowsIn(t, c.Store, quota.BucketUsage)), 3)
}

// A service whose store lives on after an update of unknown outcome gives the
// bytes back once: when the secret ends.
func TestQuotaAfterUnknownOutcome(t *testing.T) {
	t.Parallel()
	var store *vaulttest.FaultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		store = &vaulttest.FaultyStore{Store: s}
		return store
	}})
	k.MustReclaim(t)
	store.After.Store(new(storage.ErrUnknownOutcome))
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), bigText, secret.Terms{TTL: new(time.Minute)})
	vaulttest.WantErr(t, "ConcealSecret(outcome unknown)", err, storage.ErrUnknownOutcome)
	store.After.Store(nil)
	k.MustConceal(t, vaulttest.Caller(1), bigText, secret.Terms{})
	if diff := cmp.Diff(storedCharges(t.Context(), k.Store), k.Vault.Usage.Charges()); diff != "" {
		t.Errorf("usage after the unknown outcome: -want +got\n%s", diff)
	}
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	vaulttest.Want(t, "KeptBytes() after the first has expired", k.MustLiveBytes(t), big)
	if diff := cmp.Diff(storedCharges(t.Context(), k.Store), k.Vault.Usage.Charges()); diff != "" {
		t.Errorf("usage beside what is stored: -want +got\n%s", diff)
	}
}
