package counter_test

import (
	"testing"

	"hush/vault/counter"
	"hush/vault/recordtest"
)

func sampleCounts() *counter.Counts {
	var c counter.Counts
	for i := range c {
		c[i] = int64(i * 1000)
	}
	return &c
}

// spentCounts are those of a node where more ended than began.
func spentCounts() *counter.Counts {
	c := sampleCounts()
	c[counter.Secrets], c[counter.Queued] = -7, -1
	return c
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenCounts(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "counts-v1", Record: sampleCounts(), Encoded: sampleCounts().Encode(), Decode: func(b []byte) (any, error) { c, err := counter.Decode(b); return &c, err }},
		{Name: "counts-v2", Record: spentCounts(), Encoded: spentCounts().Encode(), Decode: func(b []byte) (any, error) { c, err := counter.Decode(b); return &c, err }},
	})
}
