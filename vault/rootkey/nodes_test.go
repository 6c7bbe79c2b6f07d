package rootkey_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/refusal"
	"hush/vault/rootkey"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// keyNode is a node with a root key file of its own.
type keyNode struct {
	*vaulttest.Kit
	file   *keyFile
	faults *atomic.Int64
}

// startNode starts a node at a time that holds the first root key of the store.
func startNode(t *testing.T, c *vaulttest.Cluster, name string, start time.Time) *keyNode {
	t.Helper()
	n := &keyNode{file: &keyFile{operator: true, roots: []seal.RootKey{c.Root}}, faults: new(atomic.Int64)}
	n.Kit = c.Node(t, name, vaulttest.Options{
		Manual: true, KeyFile: n.file, Start: start,
		Node: cluster.NodeOptions{Fault: func(error) { n.faults.Add(1) }},
	})
	return n
}

func (n *keyNode) beat(t *testing.T) {
	t.Helper()
	vaulttest.Want(t, "Beat()", n.Vault.Beat(t.Context()), nil)
}

// pass moves the clocks of nodes, which go on with their heartbeats, while those of the
// paused ones stay away.
func pass(t *testing.T, d time.Duration, live, paused []*keyNode) {
	t.Helper()
	for step := min(d, 10*time.Second); d > 0; d -= step {
		for _, n := range slices.Concat(live, paused) {
			n.Clock.Advance(step)
		}
		for _, n := range live {
			n.beat(t)
		}
	}
}

func (n *keyNode) rotateErr(t *testing.T) string {
	t.Helper()
	before := n.Keys.KID()
	_, err := n.Vault.RootKeys.Rotate(t.Context(), "")
	if _, refused := errors.AsType[*rootkey.RefusedError](err); !refused {
		t.Fatalf("Rotate(): got %v, want a refusal", err)
	}
	vaulttest.Want(t, "KID() after a refusal", n.Keys.KID(), before)
	return err.Error()
}

func (n *keyNode) rotate(t *testing.T) [4]byte {
	t.Helper()
	kid, err := n.Vault.RootKeys.Rotate(t.Context(), "")
	vaulttest.Want(t, "Rotate()", err, nil)
	return kid
}

func (n *keyNode) retire(t *testing.T, kid [4]byte) error {
	t.Helper()
	_, err := n.Vault.RootKeys.Retire(t.Context(), hexOf(kid))
	return err
}

// opens wants one node to open what another one conceals.
func opens(t *testing.T, from, to *keyNode) {
	t.Helper()
	kept := from.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(on another node)", to.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
}

// A rotation waits until every live node holds the new key, and names those that do
// not. From then on each opens what the others seal, whether or not it has seen the
// rotation, and its next heartbeat makes it seal with the new key.
func TestRotateWithNodes(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := startNode(t, c, "a", vaulttest.StartTime())
	b := startNode(t, c, "b", vaulttest.StartTime())
	added := seal.NewRootKey()
	a.file.roots = append(a.file.roots, added)
	if text := a.rotateErr(t); !strings.Contains(text, `"b" (number 1)`) || !strings.Contains(text, hexOf(added.KID())) || strings.Contains(text, `"a"`) {
		t.Errorf("Rotate(one node lacks the key): got %q, want the node b and the key %x", text, added.KID())
	}
	b.file.roots = append(b.file.roots, added)
	a.rotateErr(t) // b has not read the file yet
	b.beat(t)
	vaulttest.Want(t, "Rotate()", a.rotate(t), added.KID())
	vaulttest.Want(t, "KID() of a node that has not seen the rotation", b.Keys.KID(), c.Root.KID())
	opens(t, a, b)
	opens(t, b, a)
	b.beat(t)
	vaulttest.Want(t, "KID() after a heartbeat", b.Keys.KID(), added.KID())
	opens(t, a, b)
	opens(t, b, a)

	opts := a.VaultOptions()
	opts.Keys, opts.Node = seal.NewKeys(c.Root), &cluster.NodeOptions{Name: "late"}
	_, err := vault.Open(t.Context(), opts)
	if missing, ok := errors.AsType[*keylist.MissingRootKeyError](err); !ok || !slices.Equal(missing.KIDs, [][4]byte{added.KID()}) {
		t.Errorf("Open(node without the new key): got %v, want that %x is missing", err, added.KID())
	}
}

// An old key is retired once all live nodes have sealed with the new one for a while:
// until then one of them may still store what the old key seals.
func TestRetireWithNodes(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := startNode(t, c, "a", vaulttest.StartTime())
	b := startNode(t, c, "b", vaulttest.StartTime())
	both := []*keyNode{a, b}
	added := seal.NewRootKey()
	for _, n := range both {
		n.file.roots = append(n.file.roots, added)
		n.beat(t)
	}
	a.rotate(t)
	old := c.Root.KID()
	pass(t, 20*time.Second, []*keyNode{a}, []*keyNode{b}) // b is slow, and still live
	b.beat(t)
	vaulttest.Want(t, "KID() of a slow node", b.Keys.KID(), added.KID())
	pass(t, 50*time.Second, both, nil)
	refused := func(what, want string) {
		t.Helper()
		if err := a.retire(t, old); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Retire(%s): got %v, want %q", what, err, want)
		}
	}
	refused("a node that was slow", `the node "b" (number 1) began to use the root key `+hexOf(added.KID()))
	pass(t, 30*time.Second, both, nil)
	told := vaulttest.Get(t, c.Store, cluster.BucketNode, []byte{0, 1, 1})
	beat, err := cluster.DecodeBeat(told)
	vaulttest.Want(t, "DecodeBeat()", err, nil)
	slices.Reverse(beat.Keys)
	vaulttest.Put(t, c.Store, cluster.BucketNode, []byte{0, 1, 1}, beat.Encode())
	refused("a node that seals with the old key", `the node "b" (number 1) does not use the root key `+hexOf(added.KID()))
	b.beat(t)
	vaulttest.Want(t, "Retire()", a.retire(t, old), nil)
	opens(t, a, b)
}

// The attack on the service by an accident: a node is stopped, and wakes up after the
// rotation, or after the old key was retired. It stores nothing under a key of before.
// With the new key it joins again; without it, it stops and names the key.
func TestPausedNodeAfterRotation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ holds, retired bool }{
		"with the key": {true, false}, "without the key": {false, false},
		"with the key, old one retired": {true, true}, "without the key, old one retired": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := vaulttest.NewCluster(t)
			a := startNode(t, c, "a", vaulttest.StartTime())
			b := startNode(t, c, "b", vaulttest.StartTime())
			added := seal.NewRootKey()
			a.file.roots = append(a.file.roots, added)
			if test.holds {
				b.file.roots = append(b.file.roots, added)
				b.beat(t)
			}
			pass(t, 40*time.Second, []*keyNode{a}, []*keyNode{b})
			a.rotate(t)
			if test.retired {
				pass(t, 2*time.Minute, []*keyNode{a}, []*keyNode{b})
				vaulttest.Want(t, "Retire()", a.retire(t, c.Root.KID()), nil)
			}
			_, err := b.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
			vaulttest.WantErr(t, "ConcealSecret(on the node that was paused)", err, refusal.ErrUnavailable)
			if !test.holds {
				b.wantStopped(t, added.KID(), test.retired)
				return
			}
			b.beat(t)
			vaulttest.Want(t, "KID() of the node that was paused", b.Keys.KID(), added.KID())
			opens(t, a, b)
			opens(t, b, a)
		})
	}
}

// A node is stopped before it sees the rotation, and wakes up once the old key, which it
// still seals with, is retired.
func TestPausedNodeAfterRetirement(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a := startNode(t, c, "a", vaulttest.StartTime())
	b := startNode(t, c, "b", vaulttest.StartTime())
	added := seal.NewRootKey()
	for _, n := range []*keyNode{a, b} {
		n.file.roots = append(n.file.roots, added)
		n.beat(t)
	}
	a.rotate(t)
	pass(t, 2*time.Minute, []*keyNode{a}, []*keyNode{b})
	vaulttest.Want(t, "Retire()", a.retire(t, c.Root.KID()), nil)
	_, err := b.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(under the retired key)", err, cluster.ErrNodeLost)
	b.beat(t)
	opens(t, b, a)
	list, err := a.Vault.RootKeys.List(t.Context())
	vaulttest.Want(t, "List()", err, nil)
	vaulttest.Want(t, "things under the retired key", list.Keys[1].Total(), 0)
}

// The database was away for a while, so the heartbeat of the node itself is old when the
// operator rotates. The node goes on.
func TestRotateWithAnOldHeartbeat(t *testing.T) {
	t.Parallel()
	a := startNode(t, vaulttest.NewCluster(t), "a", vaulttest.StartTime())
	a.file.operator = false
	a.Clock.Advance(time.Minute)
	a.rotate(t)
	opens(t, a, a)
}

// wantStopped wants a node without a root key to refuse reads and heartbeats, and to
// name the key.
func (n *keyNode) wantStopped(t *testing.T, lacks [4]byte, none bool) {
	t.Helper()
	_, read := n.Vault.Nodes(t.Context())
	for what, err := range map[string]error{"read": read, "heartbeat": n.Vault.Beat(t.Context())} {
		if !errors.Is(err, seal.ErrWrongRootKey) || !none && !strings.Contains(err.Error(), hexOf(lacks)) {
			t.Errorf("%s of a node without the root key: got %v, want an error that names %x", what, err, lacks)
		}
	}
	vaulttest.Want(t, "faults", n.faults.Load(), 1)
}
