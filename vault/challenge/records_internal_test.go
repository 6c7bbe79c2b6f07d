package challenge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/vault/recordtest"
)

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenPace(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "pace-v1", Record: createRateRecord{count: 5}, Encoded: createRateRecord{count: 5}.encode(), Decode: func(b []byte) (any, error) { return decodeCreateRate(b) }},
	}, cmp.AllowUnexported(createRateRecord{}), cmp.Comparer(recordtest.SameEmpty))
}

func FuzzDecodePace(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeCreateRate(data)
		return r.encode(), err
	}, "pace-v1")
}
