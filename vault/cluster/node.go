package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const (
	// nodeEvery is the time between two heartbeats.
	nodeEvery = 5 * time.Second
	// nodeFresh is how long a node trusts its last heartbeat. After that, what
	// it reads may have a format that it does not know.
	nodeFresh = 10 * time.Second
	// nodeTerm is how long a lease outlasts the last heartbeat of its holder.
	// Together with a period of the sweeper it is below the 60 s within which
	// expired secrets end. After it, a number may be taken if all are in use.
	nodeTerm = 30 * time.Second
	// nodeGone is for how long another node has to see the same last heartbeat, by
	// its own monotonic clock, for the store's format not to wait for its sender. It is
	// longer than most failovers of a database, in which no node can send one.
	nodeGone = 5 * time.Minute
	// nodeOld is the age of a last heartbeat at which it needs no witness, and a number
	// may be taken. Two nodes may have times that differ by offsetMost: the store's clock
	// may have leapt by that before one of them started.
	nodeOld = nodeGone + offsetMost
	// nodeAhead is how far a heartbeat or a lease may be in the future.
	nodeAhead = offsetMost + nodeTerm
	// nodeKept is how long a node that stopped without leaving is listed.
	nodeKept = time.Hour
)

// ErrNodeLost reports that this node has no number any more, because its heartbeat
// was too old: another may have it. Nothing was written. The next heartbeat claims a new
// number.
var ErrNodeLost = fmt.Errorf("another node has the number of this node: %w", refusal.ErrUnavailable)

// ErrTooManyNodes reports that all numbers of nodes are taken.
var ErrTooManyNodes = fmt.Errorf("a store has at most %d nodes", NodeMost)

// NodeOptions describe a node.
type NodeOptions struct {
	Name    string // that the operator gave, or of the machine; need not be unique
	Release string // the program's version
	// Formats are what this node writes; zero means what this release writes.
	// Only tests set them.
	Formats Formats
	// Keys are the root keys of the node. It seals with them as the store says. The
	// vault sets them.
	Keys *seal.Keys
	// Refresh, unless nil, is called before each heartbeat, and adds to Keys what
	// the file of the root keys has got. The vault sets it.
	Refresh func()
	// Fault, unless nil, is called once when the node may not use the store any
	// more, so that the process should end. Every operation fails then.
	Fault func(error)
}

// Node is one of several processes that share a store. Its number is its own
// while its heartbeats succeed. A nil Node is the only one of its store. Only
// the vault joins and leaves; packages reach it by Store. It is safe for
// concurrent use.
type Node struct {
	store Store // without a node, so nothing checks its transactions
	clock *Clock
	log   *slog.Logger
	opts  NodeOptions

	beating sync.Mutex               // held by each heartbeat
	seen    sightings                // of the others' heartbeats; guarded by beating
	leapt   bool                     // it was said that the store's clock leapt; guarded by beating
	seals   sealing                  // as of the last heartbeat
	self    atomic.Pointer[nodeSelf] // nil while the number is lost
	fault   atomic.Pointer[error]    // set for good once the node may not use the store
}

// nodeSelf is the identity of a node until it loses its number.
type nodeSelf struct {
	number   uint16
	instance Instance
	format   rows.Format // of the store, or an earlier one
	beaten   time.Time   // the last heartbeat, by the machine's clock
}

// Join corrects the clock, claims a number for this process, and returns
// the store whose transactions belong to it. The caller must call Beat every
// few seconds (BeatUntil), and Leave at the end. It returns a FormatError or
// ErrOlderNode if this release cannot use the store at present, and
// seal.ErrWrongRootKey if the node lacks a root key.
func Join(ctx context.Context, s Store, clock *Clock, log *slog.Logger, opts NodeOptions) (Store, error) {
	opts.Name, opts.Release = short(opts.Name, nodeNameMost), short(opts.Release, nodeReleaseMost)
	opts.Formats = opts.Formats.orOwn()
	n := &Node{store: s, clock: clock, log: log, opts: opts}
	if err := n.Correct(ctx); err != nil {
		return s, err
	}
	if err := n.claim(ctx); err != nil {
		return s, fmt.Errorf("claiming the number of a node: %w", err)
	}
	s.node = n
	return s, nil
}

// claim takes the lowest free number.
func (n *Node) claim(ctx context.Context) error {
	now := n.clock.shared()
	self := &nodeSelf{instance: newInstance(), beaten: n.clock.wall()}
	record := NodeRecord{Instance: self.instance, Started: now, Formats: n.opts.Formats, Name: n.opts.Name, Release: n.opts.Release}
	var listed keylist.RootKeys
	beat := n.nextBeat(now)
	err := n.store.Update(ctx, func(tx *rows.Tx) error {
		nodes, err := n.watch(tx, now)
		if err != nil {
			return err
		}
		if self.format, err = n.opts.settle(tx, nodes); err != nil {
			return err
		}
		if listed, err = n.opts.rootKeys(tx); err != nil {
			return err
		}
		if self.number, err = freeNumber(nodes, n.opts.Formats.Newest); err != nil {
			return err
		}
		if err := tx.Put(BucketNode, nodeKey(self.number), record.Encode()); err != nil {
			return err
		}
		return putBeat(tx, self, beat)
	})
	if err == nil {
		err = n.opts.arrange(listed) // before anything is stored by the new number
	}
	if err != nil {
		return err
	}
	n.self.Store(self)
	n.log.Info("this node has a number", "node", n.opts.Name, "number", self.number)
	return n.follow(ctx)
}

// putBeat stores a heartbeat, in a form that all nodes read.
func putBeat(tx storage.Tx, self *nodeSelf, beat BeatRecord) error {
	if self.format < rows.FormatRootKeys {
		beat.Keys = nil
	}
	return tx.Put(BucketNode, beatKey(self.number), beat.Encode())
}

// Number returns the node's number, and false while it has none.
func (n *Node) Number() (uint16, bool) {
	if self := n.self.Load(); self != nil {
		return self.number, true
	}
	return 0, false
}

// BeatUntil sends heartbeats until ctx ends, or until the node may not use the
// store any more.
func (n *Node) BeatUntil(ctx context.Context) {
	tick := time.NewTicker(nodeEvery)
	defer tick.Stop()
	for n.fault.Load() == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := n.Beat(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			n.log.Error("sending a heartbeat", "cause", err)
		}
	}
}

// Beat corrects the clock, sends one heartbeat, and renews the node's leases. A
// node that lost its number claims a new one. It raises the store's format once
// all nodes read a newer one, and seals with the current root key from then on. After
// a FormatError, and without a root key of the store, the node stops for good.
func (n *Node) Beat(ctx context.Context) error {
	n.beating.Lock()
	defer n.beating.Unlock()
	if fault := n.fault.Load(); fault != nil {
		return *fault
	}
	if err := n.Correct(ctx); err != nil {
		n.log.Error("correcting the clock by the store's", "cause", err)
	}
	n.noteLeap()
	if n.opts.Refresh != nil {
		n.opts.Refresh()
	}
	err := n.beat(ctx)
	if errors.Is(err, ErrNodeLost) {
		n.self.Store(nil)
		n.log.Warn("another node has the number of this node, which claims a new one")
		err = n.rejoin(ctx)
	}
	n.note(err)
	return err
}

// rejoin claims a new number. The node may have stood still for long, so it finds
// the time anew, too.
func (n *Node) rejoin(ctx context.Context) error {
	n.clock.Restart()
	if err := n.Correct(ctx); err != nil {
		return err
	}
	return n.claim(ctx)
}

// noteLeap says, once, that the store's clock is away from the node's.
func (n *Node) noteLeap() {
	away := n.clock.Away()
	leapt := away.Abs() > nodeTerm
	if leapt && !n.leapt {
		n.log.Warn("the store's clock leapt, or this node stood still; the node follows it slowly, or not at all if it is far away", "ahead", away.Round(time.Second).String())
	}
	n.leapt = leapt
}

func (n *Node) beat(ctx context.Context) error {
	self, beaten, now := n.self.Load(), n.clock.wall(), n.clock.shared()
	if self == nil {
		return ErrNodeLost
	}
	beat := n.nextBeat(now)
	err := n.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if err := self.check(tx); err != nil {
			return err
		}
		if err := renewLeases(tx, self.instance, now); err != nil {
			return err
		}
		return putBeat(tx, self, beat)
	})
	if err != nil {
		return err
	}
	n.self.Store(&nodeSelf{self.number, self.instance, self.format, beaten})
	if err := n.follow(ctx); err != nil || self.format == n.opts.Formats.Newest {
		return err
	}
	return n.raise(ctx)
}

// follow reads the mark that the sweeping node stored, and which root key is the
// current one.
func (n *Node) follow(ctx context.Context) error {
	var listed keylist.RootKeys
	err := n.store.View(ctx, func(tx *rows.Tx) error {
		mark, err := GetMark(tx)
		if err != nil {
			return err
		}
		n.clock.Follow(mark)
		listed, err = n.opts.rootKeys(tx)
		return err
	})
	if err == nil {
		err = n.opts.arrange(listed)
	}
	return err
}

// raise raises the store's format if no node is older, and notes the result.
func (n *Node) raise(ctx context.Context) error {
	self, now := *n.self.Load(), n.clock.shared()
	before := self.format
	step := func(tx *rows.Tx) error {
		nodes, err := n.watch(tx, now)
		if err != nil {
			return err
		}
		self.format, err = n.opts.settle(tx, nodes)
		return err
	}
	if err := n.store.UpdateReserved(ctx, step); err != nil {
		return err
	}
	if self.format != before {
		n.self.Store(&self)
		n.log.Info("this node writes a newer format", "format", self.format)
	}
	return nil
}

// Correct sets the clock by that of the store, if it has one.
func (n *Node) Correct(ctx context.Context) error {
	timed := n.store.Clock()
	if timed == nil {
		return nil
	}
	return n.clock.CorrectBy(ctx, timed.Now)
}

// Leave frees the number and the leases of the node, so that no other has to
// wait for them. Its transactions must have ended.
func (n *Node) Leave(ctx context.Context) error {
	n.beating.Lock()
	defer n.beating.Unlock()
	self := n.self.Swap(nil)
	if self == nil {
		return nil
	}
	err := n.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if err := self.check(tx); err != nil {
			return err
		}
		if err := releaseLeases(tx, self.instance); err != nil {
			return err
		}
		return rows.DeleteAll(tx, BucketNode, [][]byte{nodeKey(self.number), beatKey(self.number)})
	})
	if errors.Is(err, ErrNodeLost) {
		return nil
	}
	return err
}
