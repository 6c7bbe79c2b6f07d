package vault_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/outbox"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// A colonel sees the nodes with their heartbeats and their work.
func TestIndexShowsNodes(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	b.MustSweep(t)
	mustPost(t, b, 0)
	advance(t, time.Second, b)
	index := vaulttest.MustIndex(t, b, colonel())
	formats := cluster.Formats{Oldest: 1, Newest: rows.FormatNewest()}
	held := [][4]byte{c.Root.KID()}
	want := []cluster.NodeStatus{
		{
			Number: 0, NodeRecord: cluster.NodeRecord{Name: "a", Release: "test", Formats: formats, Started: vaulttest.StartTime()},
			Heartbeat: a.Clock.Now(), Age: time.Second, Live: true, Keys: held,
		},
		{
			Number: 1, NodeRecord: cluster.NodeRecord{Name: "b", Release: "test", Formats: formats, Started: vaulttest.StartTime()},
			Heartbeat: b.Clock.Now(), Live: true, Self: true, Works: []cluster.Work{cluster.WorkSweep, cluster.WorkMail}, Keys: held,
		},
	}
	if diff := cmp.Diff(want, index.Nodes, cmpopts.IgnoreFields(cluster.NodeRecord{}, "Instance")); diff != "" {
		t.Errorf("Index.Nodes: -want +got\n%s", diff)
	}
	b.Clock.Advance(29 * time.Second)
	if n := mustNodes(t, b)[0]; n.Live || n.Age != 30*time.Second {
		t.Errorf("Nodes() without heartbeats: got live %t, age %v, want false, 30s", n.Live, n.Age)
	}
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	vaulttest.Want(t, "len(Nodes()) of a store that is not shared", len(mustNodes(t, k)), 0)
}

// Two machines may have the same name, as containers do, and any name.
func TestNodesOfOneName(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true, Node: cluster.NodeOptions{Release: strings.Repeat("1.", 100)}}
	name := strings.Repeat("ü", 200) + "\xff"
	a, b := c.Node(t, name, opts), c.Node(t, name, opts)
	kept := a.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(key)", b.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
	for i, n := range mustNodes(t, b) {
		vaulttest.Want(t, "Number", int(n.Number), i)
		vaulttest.Want(t, "Self", n.Self, i == 1)
		if len(n.Name) != 254 || len(n.Release) != 64 || !utf8.ValidString(n.Name) {
			t.Errorf("Nodes(): got a name of %d and a release of %d bytes, want 254 and 64", len(n.Name), len(n.Release))
		}
	}
}

// Nodes that stop without leaving are listed for an hour. Then their rows go, so
// that the rows of nodes are bounded by time as well as by their numbers.
func TestDeadNodesAreSwept(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a := c.Node(t, "a", opts)
	for _, name := range []string{"b", "d", "e"} {
		c.Node(t, name, opts)
	}
	for range 59 {
		advance(t, time.Minute, a)
	}
	a.MustSweep(t)
	vaulttest.Want(t, "nodes after 59 minutes", len(mustNodes(t, a)), 4)
	advance(t, time.Minute, a)
	a.MustSweep(t)
	vaulttest.Want(t, "nodes after an hour", len(mustNodes(t, a)), 1)
	vaulttest.Want(t, "rows of nodes and of the leases", len(vaulttest.RowsIn(t, c.Store, cluster.BucketNode)), 2+1+1)
}

// Numbers are claimed again, and there is a most of them.
func TestNumbersOfNodesRunOut(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a := c.Node(t, "a", opts)
	fill := func(from int) {
		err := c.Store.Update(t.Context(), func(tx storage.Tx) error {
			for number := from; number < cluster.NodeMost; number++ {
				key := []byte{byte(number >> 8), byte(number), 1}
				if err := tx.Put(cluster.BucketNode, key, cluster.BeatRecord{Time: a.Clock.Now()}.Encode()); err != nil {
					return err
				}
			}
			return nil
		})
		vaulttest.Want(t, "Update(heartbeats)", err, nil)
	}
	fill(2)
	c.Node(t, "b", opts)
	_, err := c.Open(t, "d", opts)
	vaulttest.WantErr(t, "vault.Open(all numbers taken)", err, cluster.ErrTooManyNodes)
	advance(t, 30*time.Second, a)
	opts.Start = a.Clock.Now()
	d := c.Node(t, "d", opts)
	vaulttest.Want(t, "number", nodeNumbers(t, d)["d"], 1)
	kept := d.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(key)", a.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
}

// putNode puts a row of the bucket of nodes.
func putNode(t *testing.T, c *vaulttest.Cluster, key, value []byte) {
	t.Helper()
	vaulttest.Put(t, c.Store, cluster.BucketNode, key, value)
}

// Damage to the rows of nodes and leases ends no work for good, and hides no
// other node.
func TestDamagedNodeRows(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	a.MustSweep(t)
	a.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	for _, key := range [][]byte{{0, 0}, {0xff, 0, byte(cluster.WorkSweep)}} {
		putNode(t, c, key, []byte("damage"))
	}
	vaulttest.Want(t, "nodes", len(mustNodes(t, b)), 1)
	advance(t, time.Minute, a, b)
	vaulttest.Want(t, "nodes after a heartbeat", len(mustNodes(t, b)), 2)
	b.MustSweep(t)
	vaulttest.Want(t, "secrets", secretsIn(t, c), 0)
	a.MustSweep(t)
	for _, node := range mustNodes(t, a) {
		if sweeps := slices.Contains(node.Works, cluster.WorkSweep); sweeps != (node.Name == "b") {
			t.Errorf("Works of node %s: got the sweep %t, want it on the node that took over", node.Name, sweeps)
		}
	}
}

// The attack: a node whose clock leaps ahead for a moment takes the leases until
// then, and stops. Others take over after the usual time.
func TestLeaseFromTheFuture(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true, Send: func(context.Context, outbox.Mail) error { return nil }}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	a.Clock.Advance(50 * time.Minute)
	mustPost(t, a, 0)
	advance(t, time.Minute, b)
	mustNotice(t, b)
	mustPost(t, b, 1)
	a.Clock.Set(b.Clock.Now())
	mustBeat(t, a)
	if age := mustNodes(t, b)[0].Age; age != 0 {
		t.Errorf("age of the heartbeat after the clock went back: got %v, want 0", age)
	}
}

// A machine that slept for days sweeps before its next heartbeat. It does not
// delete its own rows, so it goes on without a new number.
func TestNodeThatSleptSweeps(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewCluster(t).Node(t, "a", vaulttest.Options{Manual: true})
	before := mustNodes(t, k)
	k.Clock.Advance(40 * 24 * time.Hour)
	for range 4 { // the leap is believed
		k.MustSweep(t)
		k.Clock.Advance(time.Minute)
	}
	after := mustNodes(t, k)
	vaulttest.Want(t, "nodes after a sleep", len(after), 1)
	if len(after) == 1 && after[0].Instance != before[0].Instance {
		t.Errorf("instance after a sleep: got %x, want %x", after[0].Instance, before[0].Instance)
	}
	k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
}
