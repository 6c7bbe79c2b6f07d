package rows

import (
	"context"
	"math"
	"slices"

	"hush/storage"
)

// Version 1 has no negative counter. Version 2 has at least one, so that
// counters have one form.
const (
	countsVersion       = 1
	countsSignedVersion = 2
)

// SystemCounts is the row of the bucket system that has the Counts of a node.
const SystemCounts = "counters"

// Counter is a counter that a colonel sees. Each is updated in the transaction
// of the change that it counts, so nothing is ever counted by a scan. The order
// is stored: new counters go to the end.
type Counter int

// The counters. Their order is stored.
const (
	CountSessions Counter = iota
	CountAccounts
	CountMetadata
	CountSecrets
	CountCreated
	CountShared
	CountBurned
	CountExpired
	CountEmails
	CountFeedback
	CountExceptions
	CountDomains
	CountQueued
	counters // the number of counters
)

// Counts holds all of them. Each node has a row of its own. What was counted on
// one node may end on another, so a counter of one node may be negative; their
// sum is not.
//
//	version 1 │ number of counters 4 │ each 8, signed in version 2
type Counts [counters]int64

// negative reports whether a counter is below zero.
func (c *Counts) negative() bool { return slices.Min(c[:]) < 0 }

// Encode encodes the counters.
func (c *Counts) Encode() []byte { return c.appendTo(make(Writer, 0, 5+8*len(c))) }

// appendTo is Encode to the end of w.
func (c *Counts) appendTo(w Writer) []byte {
	version := byte(countsVersion)
	if c.negative() {
		version = countsSignedVersion
	}
	w.Byte(version)
	w.Uint32(uint32(len(c)))
	for _, n := range c {
		w.Uint64(uint64(n))
	}
	return w
}

// DecodeCounts decodes the counters of this release, or of an earlier one that
// had fewer.
func DecodeCounts(data []byte) (Counts, error) {
	in := NewReader(data)
	var c Counts
	signed := in.UpTo(countsSignedVersion) == countsSignedVersion
	n := in.Uint32()
	in.Refuse(n > uint32(counters))
	for i := range min(n, uint32(counters)) {
		value := in.Uint64()
		in.Refuse(!signed && value > math.MaxInt64)
		c[i] = int64(value)
	}
	in.Refuse(signed && !c.negative())
	return c, in.End()
}

// GetCounts loads the counters of all nodes and adds them up; they are zero in
// a new store. In a transaction that writes, it conflicts with what other nodes
// count.
func GetCounts(tx storage.Tx) (sum Counts, err error) {
	err = RangeSystem(tx, SystemCounts, func(_ uint16, value []byte) error {
		c, err := DecodeCounts(value)
		for i := range c {
			sum[i] += c[i]
		}
		return err
	})
	for i := range sum {
		sum[i] = max(0, sum[i])
	}
	return sum, err
}

// OwnCounts loads the counters of the node that runs a transaction. It conflicts
// with nothing that other nodes count.
func OwnCounts(tx *Tx) (Counts, error) {
	number, _ := tx.Node()
	return LoadSystemOr(tx, SystemOf(SystemCounts, number), DecodeCounts, Counts{})
}

// SplitCounts loads the counters of this node and the sum of those of all others.
func SplitCounts(ctx context.Context, s Store) (own, others Counts, err error) {
	number := uint16(0)
	if node := s.Node(); node != nil {
		var ok bool
		if number, ok = node.Number(); !ok {
			return own, others, ErrNodeLost
		}
	}
	err = s.View(ctx, func(tx *Tx) error {
		own, others = Counts{}, Counts{}
		return RangeSystem(tx, SystemCounts, func(node uint16, value []byte) error {
			c, err := DecodeCounts(value)
			if node == number {
				own = c
				return err
			}
			for i := range c {
				others[i] += c[i]
			}
			return err
		})
	})
	return own, others, err
}

// Change is a change of one counter.
type Change struct {
	Counter Counter
	By      int64
}

// Count changes counters in the transaction of what they count, in the row of
// the node that runs it. On a store that no other node shares, no counter falls
// below zero.
func Count(tx *Tx, changes ...Change) error {
	number, shared := tx.Node()
	return tx.Change(BucketSystem, SystemOf(SystemCounts, number), func(stored []byte) ([]byte, error) {
		var c Counts
		if stored != nil {
			var err error
			if c, err = DecodeCounts(stored); err != nil {
				return nil, err
			}
		}
		for _, change := range changes {
			c[change.Counter] += change.By
			if !shared {
				c[change.Counter] = max(0, c[change.Counter])
			}
		}
		return c.appendTo(stored[:0]), nil
	})
}
