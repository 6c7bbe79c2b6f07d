package cluster

import (
	"errors"
	"slices"
	"time"

	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/refusal"
)

// Nodes agree on the root keys by their heartbeats: each says which keys its node
// holds, and with which of them it seals, and since when. So another key becomes the
// current one only when every node that is live opens what it seals, and an old one
// is retired only when no node seals with it. A node that is not live loses its number
// in both cases, and must join again, with the keys that the store needs then.

// lackedKeyError is a seal.ErrWrongRootKey of a node, which is an ErrUnavailable.
type lackedKeyError struct{ error }

func (e *lackedKeyError) Unwrap() []error { return []error{e.error, refusal.ErrUnavailable} }

// rootKeys returns the root keys of the store. It returns a lackedKeyError if the node
// lacks one that is needed, and no keys if it does not know its own.
func (o *NodeOptions) rootKeys(tx storage.Tx) (keylist.RootKeys, error) {
	if o.Keys == nil {
		return keylist.RootKeys{}, nil
	}
	listed, err := keylist.GetRootKeys(tx)
	if errors.Is(err, storage.ErrNotFound) {
		return keylist.RootKeys{}, nil
	}
	if err != nil {
		return listed, err
	}
	if err := listed.Verify(o.Keys); err != nil {
		return listed, &lackedKeyError{err}
	}
	return listed, nil
}

// arrange makes the node seal with the current root key of the store.
func (o *NodeOptions) arrange(listed keylist.RootKeys) error {
	if len(listed.Keys) == 0 || listed.Current().KID() == o.Keys.KID() {
		return nil
	}
	return listed.Arrange(o.Keys)
}

// sealing is the root key that a node seals with.
type sealing struct {
	kid   [4]byte
	since time.Time // zero if since it joined
}

// nextBeat returns the heartbeat that the node sends now.
func (n *Node) nextBeat(now time.Time) BeatRecord {
	beat := BeatRecord{Time: now, Offset: n.clock.Offset()}
	if n.opts.Keys == nil {
		return beat
	}
	// The current key first: a key is held before it becomes the current one.
	current := n.opts.Keys.KID()
	if n.seals.kid != current {
		var since time.Time
		if n.seals != (sealing{}) {
			since = now
		}
		n.seals = sealing{current, since}
	}
	beat.SealsSince = n.seals.since
	beat.Keys = append([][4]byte{current}, slices.DeleteFunc(n.opts.Keys.Ring().KIDs(), func(kid [4]byte) bool { return kid == current })...)
	return beat
}

// ForgetDead deletes the rows of the other nodes that are not live. One that was only
// paused finds that when it goes on, and joins again. On a store that is not shared it
// does nothing.
func (s Store) ForgetDead(tx storage.Tx) error {
	if s.node == nil {
		return nil
	}
	nodes, err := listNodes(tx, s.node.clock.shared())
	if err != nil {
		return err
	}
	return deleteNodes(tx, slices.DeleteFunc(deadFor(nodes, 0), s.node.isSelf))
}
