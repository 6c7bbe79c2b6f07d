package faulttest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// nodesMost is how many nodes serve at a time.
const nodesMost = 3

// farthest is how far the clocks of nodes are from the right time at most.
const farthest = 150 * time.Second

// fleet is the nodes of one database.
type fleet struct {
	t      *testing.T
	schema string
	keys   *seal.Keys
	seen   *history
	dice   *dice
	nodes  [nodesMost]atomic.Pointer[node]
	began  atomic.Int64 // nodes

	mu    sync.Mutex
	ended []*node // abandoned without Close, as by kill -9
}

// node is a vault with its own connections to the database, as one process.
type node struct {
	name  string
	proxy *postgrestest.Proxy
	store *postgres.Store
	vault *vault.Vault
	busy  atomic.Int64 // operations that clients wait for
}

// crowded is how many operations wait for a node that clients avoid, as they
// avoid one that fails the check of a balancer.
const crowded = 24

var schemas atomic.Int64

// newCluster makes the store and starts the nodes. prepare, if not nil, changes
// the schema before they serve.
func newCluster(t *testing.T, dice *dice, prepare func(schema string) error) *fleet {
	t.Helper()
	c := &fleet{
		t: t, schema: fmt.Sprintf("faults %d", schemas.Add(1)), keys: seal.NewKeys(seal.NewRootKey()),
		seen: newHistory(), dice: dice,
	}
	store, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Schema: c.schema})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(store.Update(t.Context(), vault.Init(c.keys, time.Now())), store.Close())
	if err == nil && prepare != nil {
		err = prepare(c.schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.nodes {
		c.start(i, options{})
	}
	t.Cleanup(c.close)
	return c
}

// options are those of a node.
type options struct {
	// patient nodes wait so long for an answer that they outlast a stop.
	patient bool
	// manual nodes do nothing that clients do not ask for.
	manual bool
}

// start starts a node at a place, again until the database is there.
func (c *fleet) start(place int, opts options) {
	// Nodes are within five minutes of each other.
	offset := time.Duration(c.dice.below(int(2*farthest))) - farthest
	for {
		n, err := c.open(offset, opts)
		if err == nil {
			c.nodes[place].Store(n)
			return
		}
		if !unavailable(err) {
			c.seen.wrongf("starting a node: %v", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (c *fleet) open(offset time.Duration, opts options) (*node, error) {
	proxy, err := postgrestest.StartProxy(server, c.dice.below)
	if err != nil {
		return nil, err
	}
	n := &node{name: fmt.Sprintf("node-%d", c.began.Add(1)), proxy: proxy}
	timeout := 2 * time.Second
	if opts.patient {
		timeout = 2 * stall
	}
	store, shares, err := postgres.Open(c.t.Context(), proxy.URL("postgres"), postgres.Options{
		Schema: c.schema, ApplicationName: appName, MaxConns: 8, ConnectTimeout: time.Second,
		StatementTimeout: timeout, LockTimeout: time.Second, Patience: 3 * time.Second,
	})
	if err != nil {
		proxy.Close()
		return nil, err
	}
	n.store = store
	n.vault, err = vault.Open(c.t.Context(), vault.Options{
		Store: store, Shares: shares, Keys: c.keys, Log: slog.New(watchLog{c.seen, n.name}),
		Manual:    opts.manual,
		Now:       func() time.Time { return time.Now().Add(offset) },
		Passwords: vaulttest.CheapPasswords(), Passphrases: vaulttest.CheapPassphrases(),
		Limits: caller.Limits{NetworkBytes: 1 << 40, TotalBytes: 1 << 42},
		Node:   &cluster.NodeOptions{Name: n.name, Release: "test"},
	})
	if err != nil {
		defer proxy.Close()
		return nil, errors.Join(err, store.Close())
	}
	return n, nil
}

// appName is how the nodes call themselves to the server.
const appName = "hush-faults"

// kill ends the connections of a node and leaves it as it is. Nothing of it
// reaches the database any more.
func (c *fleet) kill(place int) {
	n := c.nodes[place].Load()
	n.proxy.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = append(c.ended, n)
}

// any returns one of the nodes, one that answers if there is one.
func (c *fleet) any(d *dice) (n *node) {
	for range 2 * nodesMost {
		if n = c.nodes[d.below(nodesMost)].Load(); n.busy.Load() < crowded {
			break
		}
	}
	return n
}

// close closes all nodes, once.
func (c *fleet) close() {
	all := c.ended
	c.ended = nil
	for i := range c.nodes {
		if n := c.nodes[i].Swap(nil); n != nil {
			all = append(all, n)
		}
	}
	var closing sync.WaitGroup
	for _, n := range all {
		closing.Go(func() {
			n.vault.Close()
			_ = n.store.Close()
			n.proxy.Close()
		})
	}
	closing.Wait()
}

// unavailable reports whether err only says that the database did not serve an
// operation, whose outcome may be unknown.
func unavailable(err error) bool {
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrUnknownOutcome) || errors.Is(err, cluster.ErrNodeLost)
}

// watchLog finds what only an operator is told: rows that contradict each other.
type watchLog struct {
	seen *history
	node string
}

func (l watchLog) Enabled(context.Context, slog.Level) bool { return true }
func (l watchLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l watchLog) WithGroup(string) slog.Handler            { return l }

func (l watchLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		if ok && (errors.Is(err, rows.ErrInconsistent) || errors.Is(err, rows.ErrDamaged)) {
			l.seen.wrongf("%s logs: %s: %v", l.node, r.Message, err)
		}
		return true
	})
	return nil
}

// dice draws the choices of a seed. It is safe for concurrent use.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDice(seed, stream uint64) *dice { return &dice{rng: rand.New(rand.NewPCG(seed, stream))} }

func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// one draws one of the options.
func one[T any](d *dice, of ...T) T { return of[d.below(len(of))] }

// quoted returns a name as SQL quotes it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
