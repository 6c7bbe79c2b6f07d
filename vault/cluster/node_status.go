package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

// NodeStatus is a node as the operator sees it.
type NodeStatus struct {
	Number uint16
	NodeRecord
	Heartbeat time.Time
	// Offset is how far the store's clock was ahead of that of the node's
	// machine at the last heartbeat.
	Offset time.Duration
	// Age is the time since the last heartbeat, not negative.
	Age time.Duration
	// Live reports whether the last heartbeat is recent. A node that is not
	// live has stopped without leaving, or cannot reach the store.
	Live bool
	// Works are the kinds of work that only this node does now.
	Works []Work
	// Self reports whether the node is this process.
	Self bool
	// Keys are the kids of the root keys that the node holds, first the one that it
	// seals with, and SealsSince is when it began to; see BeatRecord.
	Keys       [][4]byte
	SealsSince time.Time
	// Still is for how long a node that joins or raises the format has seen the same
	// heartbeat. What Nodes returns leaves it out.
	Still time.Duration
}

// Nodes returns the nodes that share the store, in the order of their numbers;
// none on a store that is not shared. What is damaged is left out.
func (s Store) Nodes(tx storage.Tx) ([]NodeStatus, error) {
	if s.node == nil {
		return nil, nil
	}
	now := s.node.clock.shared()
	listed, err := listNodes(tx, now)
	if err != nil {
		return nil, err
	}
	holders, err := leaseHolders(tx, now)
	if err != nil {
		return nil, err
	}
	self := s.node.self.Load()
	nodes := make([]NodeStatus, 0, len(listed))
	for _, node := range listed {
		if node.Instance == (Instance{}) {
			continue
		}
		node.Works = holders[node.Instance]
		node.Self = self != nil && node.Instance == self.instance
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// listNodes returns a node for each number that has a row. It is without an
// instance if its record is missing or damaged.
func listNodes(tx storage.Tx, now time.Time) (nodes []NodeStatus, err error) {
	err = tx.Range(BucketNode, nil, nodesEnd(), func(key, value []byte) error {
		if len(key) != 2 && len(key) != 3 {
			return nil
		}
		number := binary.BigEndian.Uint16(key)
		if last := len(nodes) - 1; last < 0 || nodes[last].Number != number {
			nodes = append(nodes, NodeStatus{Number: number})
		}
		nodes[len(nodes)-1].read(key, value, now)
		return nil
	})
	return nodes, err
}

// read takes over what a row of the node says.
func (n *NodeStatus) read(key, value []byte, now time.Time) {
	if len(key) == 2 {
		if r, err := DecodeNode(value); err == nil {
			n.NodeRecord = r
		}
		return
	}
	beat, err := DecodeBeat(value)
	if err != nil {
		return
	}
	n.Heartbeat, n.Offset, n.Keys, n.SealsSince = beat.Time, beat.Offset, beat.Keys, beat.SealsSince
	age := now.Sub(beat.Time)
	n.Age, n.Live = max(0, age), isLive(age)
}

// isLive reports whether a heartbeat of that age is recent. One from far in the
// future came from a wrong clock.
func isLive(age time.Duration) bool { return age < nodeTerm && age > -nodeAhead }

// gone reports whether a node has stopped for so long that its number may be taken,
// or has a heartbeat that is missing or damaged.
func (n NodeStatus) gone() bool {
	return !n.Live && (n.Still >= nodeGone || n.Age >= nodeOld || n.Heartbeat.IsZero())
}

// goneForGood reports whether the store's format does not wait for a node, which is
// then stopped for good if it lives. The age alone does not say that: the clocks of
// one machine may have been set, on which the nodes and the store are.
func (n NodeStatus) goneForGood() bool {
	return n.gone() && (n.Still >= nodeTerm || n.Heartbeat.IsZero())
}

// sightings are the last heartbeats of nodes, by number.
type sightings map[uint16]sighting

// sighting is a heartbeat and when it was seen first, by the machine's clock.
type sighting struct {
	instance Instance
	beat     time.Time
	since    time.Time
}

// watch is listNodes, and notes for how long each node has not sent a heartbeat:
// that says who is gone without a clock that others set. It is called with beating
// held, or before the node is in use.
func (n *Node) watch(tx storage.Tx, now time.Time) ([]NodeStatus, error) {
	nodes, err := listNodes(tx, now)
	if err != nil {
		return nil, err
	}
	wall, seen := n.clock.wall(), make(sightings, len(nodes))
	for i := range nodes {
		node := &nodes[i]
		s := sighting{node.Instance, node.Heartbeat, wall}
		if before, ok := n.seen[node.Number]; ok && before.instance == s.instance && before.beat.Equal(s.beat) {
			s.since = before.since
			node.Still = wall.Sub(s.since)
		}
		seen[node.Number] = s
	}
	n.seen = seen
	return nodes, nil
}

// freeNumber returns the lowest number that no node has, for a node that reads formats
// up to newest. If there is none, it returns the lowest of those whose node is not live.
// An older node keeps its number until it was seen to stand still: a format that is
// raised without its row stops it for good.
func freeNumber(nodes []NodeStatus, newest rows.Format) (uint16, error) {
	number, ok := lowest(nodes, func(n NodeStatus) bool {
		return n.goneForGood() || n.gone() && n.Formats.Newest >= newest
	})
	if !ok {
		number, ok = lowest(nodes, func(n NodeStatus) bool { return !n.Live })
	}
	if !ok {
		return 0, ErrTooManyNodes
	}
	return number, nil
}

// lowest returns the lowest number that no node has, except those that are free.
func lowest(nodes []NodeStatus, free func(NodeStatus) bool) (number uint16, ok bool) {
	next := 0
	for _, node := range nodes {
		if free(node) {
			continue
		}
		if int(node.Number) != next {
			break
		}
		next++
	}
	return uint16(next), next < NodeMost
}

// deadFor returns the nodes whose last heartbeat is older than keep, or of an
// unknown time.
func deadFor(nodes []NodeStatus, keep time.Duration) (dead []NodeStatus) {
	for _, node := range nodes {
		if !node.Live && (node.Age >= keep || node.Heartbeat.IsZero()) {
			dead = append(dead, node)
		}
	}
	return dead
}

func deleteNodes(tx storage.Tx, nodes []NodeStatus) error {
	for _, node := range nodes {
		if err := rows.DeleteAll(tx, BucketNode, [][]byte{nodeKey(node.Number), beatKey(node.Number)}); err != nil {
			return err
		}
	}
	return nil
}

// PruneNodes deletes the rows of nodes that stopped long ago without leaving, and that
// this node has seen to stand still. This node runs, however old its last heartbeat is:
// it may have slept. It is a Batch.
func (s Store) PruneNodes(ctx context.Context, _ time.Time, _ *rows.Damage) (deleted int, err error) {
	if s.node == nil {
		return 0, nil
	}
	s.node.beating.Lock()
	defer s.node.beating.Unlock()
	now := s.node.clock.shared()
	var dead []NodeStatus
	list := func(tx *rows.Tx) error {
		nodes, err := s.node.watch(tx, now)
		dead = slices.DeleteFunc(deadFor(nodes, nodeKept), func(n NodeStatus) bool { return s.node.isSelf(n) || !n.goneForGood() })
		return err
	}
	if err := s.View(ctx, list); err != nil || len(dead) == 0 {
		return 0, err
	}
	err = s.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if err := list(tx); err != nil {
			return err
		}
		return deleteNodes(tx, dead)
	})
	return len(dead), err
}

// isSelf reports whether a row is that of this node.
func (n *Node) isSelf(status NodeStatus) bool {
	self := n.self.Load()
	return self != nil && status.Instance == self.instance
}

// leaseHolders returns what the holders of leases do.
func leaseHolders(tx storage.Tx, now time.Time) (map[Instance][]Work, error) {
	works := map[Instance][]Work{}
	for work := WorkSweep; work <= workLast; work++ {
		r, err := rows.LoadOr(tx, BucketNode, work.key(), decodeLease, leaseRecord{})
		if errors.Is(err, rows.ErrDamaged) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.runs(now) {
			works[r.Holder] = append(works[r.Holder], work)
		}
	}
	return works, nil
}
