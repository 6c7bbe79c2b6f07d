package rows

import (
	"math"

	"hush/storage"
)

const countsVersion = 1

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

// Counts holds all of them.
//
//	version 1 │ number of counters 4 │ each 8
type Counts [counters]int64

// Encode encodes the counters.
func (c *Counts) Encode() []byte {
	w := make(Writer, 0, 5+8*len(c))
	w.Byte(countsVersion)
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
	in.Version(countsVersion)
	n := in.Uint32()
	in.Refuse(n > uint32(counters))
	for i := range min(n, uint32(counters)) {
		value := in.Uint64()
		in.Refuse(value > math.MaxInt64)
		c[i] = int64(value)
	}
	return c, in.End()
}

// GetCounts loads the counters; they are zero in a new store.
func GetCounts(tx storage.Tx) (Counts, error) {
	return LoadSystemOr(tx, SystemCounts, DecodeCounts, Counts{})
}

// Change is a change of one counter.
type Change struct {
	Counter Counter
	By      int64
}

// Count changes counters in the transaction of what they count. No counter
// falls below zero.
func Count(tx storage.Tx, changes ...Change) error {
	c, err := GetCounts(tx)
	if err != nil {
		return err
	}
	for _, change := range changes {
		c[change.Counter] = max(0, c[change.Counter]+change.By)
	}
	return PutSystem(tx, SystemCounts, c.Encode())
}
