package quota

import (
	"testing"

	"hush/vault/recordtest"
)

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenUsage(t *testing.T) {
	t.Parallel()
	sum := tally{Bytes: 1000, Secrets: 600, Anonymous: -50}
	state := Cursor{Done: true, Secret: recordtest.Row("s"), Metadata: recordtest.Row("m")}
	recordtest.Check(t, []recordtest.Case{
		{Name: "usage-v1", Record: sum, Encoded: sum.encode(), Decode: func(b []byte) (any, error) { return decodeTally(b) }},
		{Name: "usage-state-v1", Record: state, Encoded: state.encode(), Decode: func(b []byte) (any, error) { return decodeCursor(b) }},
	})
}

func FuzzDecodeUsage(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		sum, err := decodeTally(data)
		return sum.encode(), err
	}, "usage-v1")
}

func FuzzDecodeUsageState(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		state, err := decodeCursor(data)
		return state.encode(), err
	}, "usage-state-v1")
}
