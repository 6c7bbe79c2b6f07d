package secret

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/vault/recordtest"
)

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenUsage(t *testing.T) {
	t.Parallel()
	sum := tally{bytes: 1000, secrets: 600, anonymous: -50}
	state := usageCursor{done: true, secret: recordtest.Row("s"), metadata: recordtest.Row("m")}
	recordtest.Check(t, []recordtest.Case{
		{Name: "usage-v1", Record: sum, Encoded: sum.encode(), Decode: func(b []byte) (any, error) { return decodeTally(b) }},
		{Name: "usage-state-v1", Record: state, Encoded: state.encode(), Decode: func(b []byte) (any, error) { return decodeUsageCursor(b) }},
	}, cmp.AllowUnexported(tally{}, usageCursor{}))
}

func FuzzDecodeUsage(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		sum, err := decodeTally(data)
		return sum.encode(), err
	}, "usage-v1")
}

func FuzzDecodeUsageState(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		state, err := decodeUsageCursor(data)
		return state.encode(), err
	}, "usage-state-v1")
}
