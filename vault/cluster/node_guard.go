package cluster

import (
	"context"
	"errors"

	"hush/seal"
	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// check returns ErrNodeLost unless the number still belongs to self.
// Transactions are serializable, so none commits after it.
func (s *nodeSelf) check(tx storage.Tx) error {
	stored, err := rows.Load(tx, BucketNode, nodeKey(s.number), DecodeNode)
	if errors.Is(err, refusal.ErrNotFound) || errors.Is(err, rows.ErrDamaged) || err == nil && stored.Instance != s.instance {
		return ErrNodeLost
	}
	return err
}

// writer is what a node may write with, as of the beginning of an update.
type writer struct {
	node *Node
	self *nodeSelf // nil if the node had lost its number
	held *lease    // that the update depends on, if its context comes from Hold
}

// writer returns what an update with that context writes with.
func (n *Node) writer(ctx context.Context) writer {
	w := writer{node: n, self: n.self.Load()}
	if held, ok := ctx.Value(leaseKey{}).(lease); ok {
		w.held = &held
	}
	return w
}

// begin returns a transaction of the node. It fails with ErrNodeLost if the node lost
// its number, and with ErrLeaseLost if another node has the lease.
func (w writer) begin(backend storage.Tx, log rows.EndLog) (*rows.Tx, error) {
	if fault := w.node.fault.Load(); fault != nil {
		return nil, *fault
	}
	if w.self == nil {
		return nil, ErrNodeLost
	}
	if err := w.self.check(backend); err != nil {
		return nil, err
	}
	if w.held != nil {
		if err := w.held.check(backend); err != nil {
			return nil, err
		}
	}
	return rows.NewNodeTx(backend, log, w.self.number, w.self.format), nil
}

// admitView returns why a transaction may not read. If the last heartbeat
// is old, the store's format may have changed, or its current root key, so it fails
// with a FormatError if this release cannot read that, and with a seal.ErrWrongRootKey
// if the node lacks a root key. Otherwise no other node can have changed them: they
// wait for nodeGone, and for the heartbeat that names the key.
func (n *Node) admitView(tx storage.Tx) error {
	if fault := n.fault.Load(); fault != nil {
		return *fault
	}
	if self := n.self.Load(); self != nil && n.clock.elapsed(self.beaten) <= nodeFresh {
		return nil
	}
	if _, err := n.opts.admit(tx); err != nil {
		return err
	}
	_, err := n.opts.rootKeys(tx)
	return err
}

// note stops the node for good if err is a FormatError or a seal.ErrWrongRootKey.
func (n *Node) note(err error) {
	if outdated, ok := errors.AsType[*FormatError](err); ok {
		n.stop(err, outdated, "this node stops: a newer release has changed the store")
	} else if errors.Is(err, seal.ErrWrongRootKey) {
		n.stop(err, err, "this node stops: its root key file lacks a root key of the store")
	}
}

// stop makes every operation fail with err from now on, and says why, once.
func (n *Node) stop(err, cause error, why string) {
	if !n.fault.CompareAndSwap(nil, &err) {
		return
	}
	n.self.Store(nil)
	n.log.Error(why, "cause", cause)
	if n.opts.Fault != nil {
		n.opts.Fault(cause)
	}
}

// nodeSilent is the time after the last heartbeat from which a node does not
// count as ready: three heartbeats are missing.
const nodeSilent = 3 * nodeEvery

// Ready returns ErrUnavailable if the node could not reach the store lately, and
// ErrNodeLost while it has no number. It asks nothing of the store. The only
// node of a store is always ready.
func (n *Node) Ready() error {
	if n == nil {
		return nil
	}
	self := n.self.Load()
	switch {
	case self == nil:
		return ErrNodeLost
	case n.clock.elapsed(self.beaten) > nodeSilent:
		return refusal.ErrUnavailable
	}
	return nil
}
