package rows

import "hush/vault/refusal"

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
