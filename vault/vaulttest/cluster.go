package vaulttest

import (
	"cmp"
	"log/slog"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/storage/memory"
	"hush/storage/postgres/postgrestest"
	"hush/vault"
)

// Cluster is a store that several vaults share, as nodes: in memory, or, in a
// run of the tests on PostgreSQL, a schema to which each node has connections
// of its own. It belongs to one test.
type Cluster struct {
	// Store and Shares are those of no node, for tests that read records.
	Store  storage.Store
	Shares storage.Shares
	Root   seal.RootKey
	// Notices carry the notifications of nodes in memory; nil means none.
	Notices *memory.Notices

	schema string // on PostgreSQL
}

// notifyingStore is the store of one node in memory.
type notifyingStore struct {
	storage.Store
	notifier storage.Notifier
}

// Notifier returns that of the node.
func (s notifyingStore) Notifier() storage.Notifier { return s.notifier }

// sharedShares are those of a store for several nodes, which does not reuse slots.
type sharedShares struct{ storage.Shares }

// Recycler returns nil.
func (sharedShares) Recycler() storage.Recycler { return nil }

// NewCluster returns a new shared store.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	if postgrestest.Shared() != "" {
		return newCluster(t, newSchema(t))
	}
	return newCluster(t, "")
}

// NewMemoryCluster returns a new shared store in memory, also in a run of the
// tests on PostgreSQL: its notifications can be lost, and its time may be that
// of a bubble.
func NewMemoryCluster(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, "")
}

func newCluster(t testing.TB, schema string) *Cluster {
	t.Helper()
	c := &Cluster{Root: seal.NewRootKey(), Notices: memory.NewNotices(), schema: schema}
	b, err := c.open(t, NewClock(StartTime()))
	if err != nil {
		t.Fatalf("opening the shared store: got %v, want nil", err)
	}
	c.Store, c.Shares = b.store, b.shares
	t.Cleanup(func() { Want(t, "Store.Close()", b.close(), nil) })
	return c
}

// open returns the store for one node.
func (c *Cluster) open(t testing.TB, clock *Clock) (base, error) {
	t.Helper()
	keys := seal.NewKeys(c.Root)
	if c.schema != "" {
		return openSchema(t.Context(), c.schema, clock, keys)
	}
	if c.Store != nil {
		store := c.Store
		if c.Notices != nil {
			store = notifyingStore{c.Store, c.Notices.Join()}
		}
		return base{store: store, shares: c.Shares, close: func() error { return nil }}, nil
	}
	store, shares := memory.New()
	return base{store: store, shares: sharedShares{shares}, close: store.Close}, vault.InitShared(t.Context(), store, keys, StartTime())
}

// Node opens a vault on the store, and closes it when the test ends. Of opts,
// Folder, Dir, After, RootKey, MinFree, Ballast and WrapShares have no meaning.
// The node has a clock of its own, which begins at opts.Start.
func (c *Cluster) Node(t testing.TB, name string, opts Options) *Kit {
	t.Helper()
	k, err := c.Open(t, name, opts)
	if err != nil {
		t.Fatalf("vault.Open(node %s): got %v, want nil", name, err)
	}
	return k
}

// Open is Node for a vault that may not open, and returns the error of
// vault.Open.
func (c *Cluster) Open(t testing.TB, name string, opts Options) (*Kit, error) {
	t.Helper()
	if opts.Start.IsZero() {
		opts.Start = StartTime()
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	clock := NewClock(opts.Start)
	b, err := c.open(t, clock)
	if err != nil {
		t.Fatalf("opening the shared store: got %v, want nil", err)
	}
	node := opts.Node
	node.Name, node.Release = name, cmp.Or(node.Release, "test")
	b.node = &node
	k := &Kit{
		Clock: clock, Store: b.store, Shares: b.shares, RootKey: c.Root, Keys: seal.NewKeys(c.Root),
		opts: opts, schema: c.schema, base: &b,
	}
	t.Cleanup(func() { k.Close(t) })
	options := k.VaultOptions()
	if opts.WrapStore != nil {
		options.Store = opts.WrapStore(b.store)
	}
	if opts.WrapShares != nil {
		options.Shares = opts.WrapShares(b.shares)
	}
	if k.Vault, err = vault.Open(t.Context(), options); err != nil {
		return nil, err
	}
	return k, nil
}
