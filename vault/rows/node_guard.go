package rows

import (
	"context"
	"errors"

	"hush/seal"
	"hush/storage"
	"hush/vault/refusal"
)

// check returns ErrNodeLost unless the number still belongs to self.
// Transactions are serializable, so none commits after it.
func (s *nodeSelf) check(tx storage.Tx) error {
	stored, err := Load(tx, BucketNode, nodeKey(s.number), DecodeNode)
	if errors.Is(err, refusal.ErrNotFound) || errors.Is(err, ErrDamaged) || err == nil && stored.Instance != s.instance {
		return ErrNodeLost
	}
	return err
}

// guard returns fn for a transaction of the node. It fails with ErrNodeLost if
// the node lost its number, and with ErrLeaseLost if ctx comes from Hold and
// another node has that lease. Without a node it returns fn itself.
func (n *Node) guard(ctx context.Context, fn func(storage.Tx) error) func(storage.Tx) error {
	if n == nil {
		return fn
	}
	self := n.self.Load()
	held, leased := ctx.Value(leaseKey{}).(lease)
	return func(tx storage.Tx) error {
		if fault := n.fault.Load(); fault != nil {
			return *fault
		}
		if self == nil {
			return ErrNodeLost
		}
		if err := self.check(tx); err != nil {
			return err
		}
		if leased {
			if err := held.check(tx); err != nil {
				return err
			}
		}
		return fn(&nodeTx{tx, self.number, self.format})
	}
}

// guardView returns fn for a transaction that only reads. If the last heartbeat
// is old, the store's format may have changed, or its current root key, so it fails
// with a FormatError if this release cannot read that, and with a seal.ErrWrongRootKey
// if the node lacks a root key. Otherwise no other node can have changed them: they
// wait for nodeGone, and for the heartbeat that names the key.
func (n *Node) guardView(fn func(storage.Tx) error) func(storage.Tx) error {
	if n == nil {
		return fn
	}
	return func(tx storage.Tx) error {
		if fault := n.fault.Load(); fault != nil {
			return *fault
		}
		if self := n.self.Load(); self == nil || n.clock.elapsed(self.beaten) > nodeFresh {
			if _, err := n.opts.admit(tx); err != nil {
				return err
			}
			if _, err := n.opts.rootKeys(tx); err != nil {
				return err
			}
		}
		return fn(tx)
	}
}

// note stops the node for good if err is a FormatError or a seal.ErrWrongRootKey, and
// returns err.
func (n *Node) note(err error) error {
	if n == nil || err == nil {
		return err
	}
	if outdated, ok := errors.AsType[*FormatError](err); ok {
		n.stop(err, outdated, "this node stops: a newer release has changed the store")
	} else if errors.Is(err, seal.ErrWrongRootKey) {
		n.stop(err, err, "this node stops: its root key file lacks a root key of the store")
	}
	return err
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
