package rows

import (
	"context"
	"errors"

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
// is old, the store's format may have changed, so it fails with a FormatError if
// this release cannot read that. Otherwise no other node can have raised it: they
// wait for nodeGone.
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
		}
		return fn(tx)
	}
}

// note stops the node for good if err is a FormatError, and returns err.
func (n *Node) note(err error) error {
	if n == nil || err == nil {
		return err
	}
	if outdated := (*FormatError)(nil); errors.As(err, &outdated) && n.fault.CompareAndSwap(nil, &err) {
		n.self.Store(nil)
		n.log.Error("this node stops: a newer release has changed the store", "cause", outdated)
		if n.opts.Fault != nil {
			n.opts.Fault(outdated)
		}
	}
	return err
}
