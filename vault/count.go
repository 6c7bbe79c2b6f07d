package vault

import (
	"errors"
	"math"

	"hush/storage"
)

// counter is one of the numbers that a colonel sees. They are kept in the
// transaction of whatever changes them, so nothing is ever counted by looking
// at all of it. Their order is stored: new ones go to the end.
type counter int

const (
	countSessions counter = iota
	countAccounts
	countMetadata
	countSecrets
	countCreated
	countShared
	countBurned
	countExpired
	countEmails
	countFeedback
	countExceptions
	countDomains
	countQueued
	counters // how many there are
)

// counts holds all of them.
//
//	version 1 │ number of counters 4 │ each 8
type counts [counters]int64

func (c *counts) encode() []byte {
	w := make(writer, 0, 5+8*len(c))
	w.byte(countsVersion)
	w.uint32(uint32(len(c)))
	for _, n := range c {
		w.uint64(uint64(n))
	}
	return w
}

// decodeCounts reads what this release or an earlier one with fewer counters
// wrote.
func decodeCounts(data []byte) (counts, error) {
	in := reader{rest: data}
	var c counts
	in.version(countsVersion)
	n := in.uint32()
	in.bad = in.bad || n > uint32(counters)
	for i := range min(n, uint32(counters)) {
		value := in.uint64()
		in.bad = in.bad || value > math.MaxInt64
		c[i] = int64(value)
	}
	return c, in.end()
}

// getCounts loads the counters; a store that never counted has zeros.
func getCounts(tx storage.Tx) (counts, error) {
	data, err := tx.Get(bucketSystem, []byte(systemCounts))
	if errors.Is(err, storage.ErrNotFound) {
		return counts{}, nil
	}
	if err != nil {
		return counts{}, err
	}
	return decodeCounts(data)
}

// tallied is a change of one counter.
type tallied struct {
	counter counter
	by      int64
}

// tally changes counters in the transaction of what they count. None falls
// below zero.
func tally(tx storage.Tx, changes ...tallied) error {
	c, err := getCounts(tx)
	if err != nil {
		return err
	}
	for _, change := range changes {
		c[change.counter] = max(0, c[change.counter]+change.by)
	}
	return tx.Put(bucketSystem, []byte(systemCounts), c.encode())
}
