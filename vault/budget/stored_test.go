package budget_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hush/storage"
	"hush/testtier/property"
	"hush/vault/budget"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// guesses is the rate of sign-ins.
func guesses() budget.Rate { return budget.Rate{Calls: 30, In: 15 * time.Minute} }

// keyOf returns the budget of a network, and of a kind that nothing else has.
func keyOf(addr string) budget.Key {
	return budget.Key{Kind: 200, Network: caller.NetworkOf(netip.MustParseAddr(addr))}
}

// budgets says how much is spent.
type budgets interface {
	Take(ctx context.Context, key budget.Key, rate budget.Rate, calls int) (time.Duration, error)
}

func mustTake(t testing.TB, b budgets, key budget.Key, calls int) (wait time.Duration) {
	t.Helper()
	wait, err := b.Take(t.Context(), key, guesses(), calls)
	vaulttest.Want(t, "Take()", err, nil)
	return wait
}

// nodes returns several nodes of one store.
func nodes(t testing.TB, n int, opts vaulttest.Options) (c *vaulttest.Cluster, kits []*vaulttest.Kit) {
	t.Helper()
	c, opts.Manual = vaulttest.NewCluster(t), true
	for i := range n {
		kits = append(kits, c.Node(t, string(rune('a'+i)), opts))
	}
	return c, kits
}

// The attack: guess at all nodes at once, for the tries of each.
func TestNodesSpendOneBudget(t *testing.T) {
	t.Parallel()
	_, kits := nodes(t, 3, vaulttest.Options{})
	var admitted atomic.Int64
	var all sync.WaitGroup
	for i := range 3 * guesses().Calls {
		all.Go(func() {
			if mustTake(t, kits[i%len(kits)].Vault.Budgets, keyOf("192.0.2.1"), 1) == 0 {
				admitted.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "calls admitted by three nodes", admitted.Load(), int64(guesses().Calls))
	vaulttest.Want(t, "wait of another network", mustTake(t, kits[1].Vault.Budgets, keyOf("192.0.2.2"), 1), 0)
	vaulttest.Want(t, "wait of an account", mustTake(t, kits[1].Vault.Budgets, budget.Key{Kind: 200, Account: "ada"}, 1), 0)
	for _, k := range kits {
		k.Clock.Advance(30 * time.Second)
	}
	vaulttest.Want(t, "wait after one came back", mustTake(t, kits[2].Vault.Budgets, keyOf("192.0.2.1"), 1), 0)
	for _, k := range kits {
		vaulttest.Want(t, "wait for the next", mustTake(t, k.Vault.Budgets, keyOf("192.0.2.1"), 1), 30*time.Second)
	}
}

// Several nodes on a store decide like one process from its memory. Only the
// wait may be shorter, where a node knows without the store that it is not over.
func TestStoredDecidesLikeMemory(t *testing.T) {
	t.Parallel()
	_, kits := nodes(t, 3, vaulttest.Options{})
	own, runs := budget.NewMemory(kits[0].Clock.Now), 0
	property.Check(t, func(r *rapid.T) {
		runs++
		key := budget.Key{Kind: 200, Account: fmt.Sprint(runs)}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			if rapid.Bool().Draw(r, "pause") {
				pause := time.Duration(rapid.IntRange(0, 120).Draw(r, "seconds")) * time.Second
				for _, k := range kits {
					k.Clock.Advance(pause)
				}
			}
			stored := kits[rapid.IntRange(0, 2).Draw(r, "node")].Vault.Budgets
			calls := rapid.IntRange(1, guesses().Calls+1).Draw(r, "calls")
			want := mustTake(t, own, key, calls)
			if got := mustTake(t, stored, key, calls); got > want || (got == 0) != (want == 0) {
				r.Fatalf("Take(%d) of the store: got %s to wait, want %s as in memory", calls, got, want)
			}
		}
	})
}

// A call that is given back at one node can be spent at that node.
func TestStoredGivesBack(t *testing.T) {
	t.Parallel()
	_, kits := nodes(t, 2, vaulttest.Options{})
	b, key := kits[0].Vault.Budgets, keyOf("192.0.2.1")
	mustTake(t, b, key, guesses().Calls)
	vaulttest.Want(t, "Give(2)", b.Give(t.Context(), key, guesses(), 2), nil)
	vaulttest.Want(t, "wait after two were given back", mustTake(t, b, key, 2), 0)
	vaulttest.Want(t, "wait after they were spent", mustTake(t, b, key, 1) > 0, true)
	vaulttest.Want(t, "Give(of a new budget)", b.Give(t.Context(), keyOf("192.0.2.2"), guesses(), 1), nil)
	vaulttest.Want(t, "wait of a new budget", mustTake(t, b, keyOf("192.0.2.2"), guesses().Calls), 0)
}

// While the store is out of reach, nothing is admitted that it would count. A
// caller who is known to have no calls left does not even reach it.
func TestOutageRefuses(t *testing.T) {
	t.Parallel()
	var store *vaulttest.FaultyStore
	_, kits := nodes(t, 1, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		store = &vaulttest.FaultyStore{Store: s}
		return store
	}})
	b := kits[0].Vault.Budgets
	mustTake(t, b, keyOf("192.0.2.1"), guesses().Calls)
	store.Before.Store(new(storage.ErrFull))
	_, err := b.Take(t.Context(), keyOf("192.0.2.2"), guesses(), 1)
	vaulttest.WantErr(t, "Take(no store)", err, refusal.ErrUnavailable)
	vaulttest.Want(t, "wait of an exhausted network", mustTake(t, b, keyOf("192.0.2.1"), 1), 30*time.Second)
	store.Before.Store(nil)
}

// Budgets that are full again leave nothing behind.
func TestBudgetsAreSwept(t *testing.T) {
	t.Parallel()
	c, kits := nodes(t, 2, vaulttest.Options{})
	rowsLeft := func() int { return len(vaulttest.RowsIn(t, c.Store, budget.BucketBudget)) }
	advance := func(d time.Duration) {
		for _, k := range kits {
			k.Clock.Advance(d)
			vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
		}
	}
	mustTake(t, kits[0].Vault.Budgets, keyOf("192.0.2.1"), 1)
	advance(20 * time.Second)
	mustTake(t, kits[1].Vault.Budgets, keyOf("192.0.2.1"), 10)
	advance(20 * time.Second)
	kits[0].MustSweep(t)
	vaulttest.Want(t, "rows of a budget that is not full", rowsLeft(), 1)
	advance(5 * time.Minute)
	kits[0].MustSweep(t)
	vaulttest.Want(t, "rows of a full budget", rowsLeft(), 0)
}
