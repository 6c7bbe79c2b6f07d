package guess

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/testtier/property"
	"hush/vault/recordtest"
)

func sampleAttempt() Tries {
	return Tries{Count: 5, Began: recordtest.Moment(5), Locked: recordtest.Moment(5).Add(30 * time.Minute)}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenTries(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "attempt-v1", Record: sampleAttempt(), Decode: func(b []byte) (any, error) { return DecodeTries(b) }},
		{Name: "attempt-v2", Record: sampleAttempt(), Encoded: sampleAttempt().Encode(), Decode: func(b []byte) (any, error) { return DecodeTries(b) }},
	}, cmp.Comparer(recordtest.SameEmpty))
}

func FuzzDecodeAttempt(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeTries(data)
		if err == nil && data[0] == 1 { // read for ever, written no more
			return slices.Concat([]byte{1}, r.Encode()[1:]), nil
		}
		return r.Encode(), err
	}, "attempt-v1", "attempt-v2")
}

func TestTriesRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		attempt := Tries{Count: rapid.Uint32().Draw(t, "count"), Began: recordtest.Moments().Draw(t, "began"), Locked: recordtest.Moments().Draw(t, "locked")}
		if got, err := DecodeTries(attempt.Encode()); got != attempt || err != nil {
			t.Errorf("decodeAttempt(encode(r)): got %v, %v, want %v", got, err, attempt)
		}
	})
}
