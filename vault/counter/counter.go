package counter

import (
	"context"
	"slices"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/rows"
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
	Sessions Counter = iota
	Accounts
	Metadata
	Secrets
	Created
	Shared
	Burned
	Expired
	Emails
	Feedback
	Exceptions
	Domains
	Queued
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

func (c *Counts) version() byte {
	if c.negative() {
		return countsSignedVersion
	}
	return countsVersion
}

// fields carries the counters. An earlier release had fewer.
func (c *Counts) fields(codec *rows.Codec) {
	signed := codec.VersionUpTo(countsSignedVersion, c.version()) == countsSignedVersion
	n := uint32(counters)
	codec.Uint32(&n)
	codec.Refuse(n > uint32(counters))
	for i := range min(n, uint32(counters)) {
		codec.Int64(&c[i])
		codec.Refuse(!signed && c[i] < 0)
	}
	codec.Refuse(signed && !c.negative())
}

// Encode encodes the counters.
func (c *Counts) Encode() []byte { return c.appendTo(make([]byte, 0, 5+8*len(c))) }

// appendTo is Encode to the end of buffer.
func (c *Counts) appendTo(buffer []byte) []byte { return rows.EncodeTo(buffer, c, (*Counts).fields) }

// Decode decodes the counters of this release, or of an earlier one that
// had fewer.
func Decode(data []byte) (c Counts, err error) {
	err = rows.Decode(data, &c, (*Counts).fields)
	return c, err
}

// Get loads the counters of all nodes and adds them up; they are zero in
// a new store. In a transaction that writes, it conflicts with what other nodes
// count.
func Get(tx storage.Tx) (sum Counts, err error) {
	err = rows.RangeSystem(tx, SystemCounts, func(_ uint16, value []byte) error {
		c, err := Decode(value)
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

// Own loads the counters of the node that runs a transaction. It conflicts
// with nothing that other nodes count.
func Own(tx *rows.Tx) (Counts, error) {
	number, _ := tx.Node()
	return rows.LoadSystemOr(tx, rows.SystemOf(SystemCounts, number), Decode, Counts{})
}

// Split loads the counters of this node and the sum of those of all others.
func Split(ctx context.Context, s cluster.Store) (own, others Counts, err error) {
	number := uint16(0)
	if node := s.Node(); node != nil {
		var ok bool
		if number, ok = node.Number(); !ok {
			return own, others, cluster.ErrNodeLost
		}
	}
	err = s.View(ctx, func(tx *rows.Tx) error {
		own, others = Counts{}, Counts{}
		return rows.RangeSystem(tx, SystemCounts, func(node uint16, value []byte) error {
			c, err := Decode(value)
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

// Add changes counters in the transaction of what they count, in the row of
// the node that runs it. On a store that no other node shares, no counter falls
// below zero.
func Add(tx *rows.Tx, changes ...Change) error {
	_, shared := tx.Node()
	return rows.ChangeSystem(tx, SystemCounts, func(stored []byte) ([]byte, error) {
		var c Counts
		if stored != nil {
			var err error
			if c, err = Decode(stored); err != nil {
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
