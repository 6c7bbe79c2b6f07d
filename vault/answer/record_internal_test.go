package answer

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/testtier/property"
	"hush/vault/receipt"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

func sample() *Record {
	return &Record{
		Place: 1, Arrived: recordtest.Moment(5), Expires: recordtest.Moment(65), Size: 328, HasPassphrase: true, State: receipt.StateNew,
		Secret: recordtest.Row("s"), Receipt: recordtest.Row("m"), check: CallOf([]byte("call")).check(),
		sealedReceipt: []byte("sealed receipt"), SealedKey: []byte("sealed key"), SealedLink: []byte("sealed link"),
	}
}

func sampleEnded() *Record {
	r := sample()
	r.Place, r.HasPassphrase, r.State, r.Outcome = 3, false, receipt.StateReceived, receipt.OutcomeDelivered
	r.Ended, r.OutcomeAt, r.SealedKey, r.SealedLink = recordtest.Moment(65), recordtest.Moment(65), nil, nil
	return r
}

func sampleTally() Tally {
	return Tally{Taken: 3, Waiting: 1, Last: recordtest.Moment(5), Changes: 7}
}

// What was stored once is read for ever.
func TestGolden(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "answer-v1", Record: sample(), Encoded: sample().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "answer-ended-v1", Record: sampleEnded(), Encoded: sampleEnded().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "answers-v1", Record: sampleTally(), Encoded: sampleTally().encode(), Decode: func(b []byte) (any, error) { return decodeTally(b) }},
	}, cmp.AllowUnexported(Record{}), cmp.Comparer(recordtest.SameEmpty))
}

func FuzzDecode(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decode(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "answer-v1", "answer-ended-v1")
}

func FuzzDecodeTally(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		t, err := decodeTally(data)
		if err != nil {
			return nil, err
		}
		return t.encode(), nil
	}, "answers-v1")
}

// Whatever a record holds, it holds after it was stored and read. What opens an answer is
// there exactly as long as there is something to open.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		r := &Record{
			Place: rapid.Uint32().Draw(t, "place"), Arrived: recordtest.Moments().Draw(t, "arrived"), Expires: recordtest.Moments().Draw(t, "expires"),
			Size: rapid.Uint64().Draw(t, "size"), HasPassphrase: rapid.Bool().Draw(t, "passphrase"),
			State: receipt.State(rapid.ByteRange(1, 5).Draw(t, "state")), Outcome: receipt.Outcome(rapid.ByteRange(0, 3).Draw(t, "outcome")),
			Ended: recordtest.Moments().Draw(t, "ended"), OutcomeAt: recordtest.Moments().Draw(t, "outcome at"),
			Secret: seal.RowKey(recordtest.Bytes(22).Draw(t, "secret")), Receipt: seal.RowKey(recordtest.Bytes(22).Draw(t, "receipt")),
			check: [32]byte(recordtest.Bytes(32).Draw(t, "check")), sealedReceipt: rapid.SliceOf(rapid.Byte()).Draw(t, "sealed receipt"),
		}
		other := *r
		if r.Openable() {
			r.SealedKey, r.SealedLink = []byte{1}, []byte{2}
		} else {
			other.SealedLink = []byte{2}
		}
		got, err := decode(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(Record{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("decode(encode(r)): got %v, -want +got\n%s", err, diff)
		}
		if _, err := decode(other.encode()); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("decode(record that contradicts itself): got %v, want %v", err, rows.ErrDamaged)
		}
	})
}

// A repeat is the same in each part, and no part can take over a byte of another.
func TestCallOf(t *testing.T) {
	t.Parallel()
	call := CallOf([]byte("ab"), []byte("c"))
	r := &Record{check: call.check()}
	for name, other := range map[string]Call{
		"moved byte": CallOf([]byte("a"), []byte("bc")), "less": CallOf([]byte("ab")), "more": CallOf([]byte("ab"), []byte("c"), nil), "none": {},
		"its check": Call(call.check()),
	} {
		if r.IsRepeat(other) {
			t.Errorf("IsRepeat(%s): got true, want false", name)
		}
	}
	if !r.IsRepeat(CallOf([]byte("ab"), []byte("c"))) {
		t.Error("IsRepeat(the same call): got false, want true")
	}
}

// A key of the bucket names its answer alone.
func TestRefOf(t *testing.T) {
	t.Parallel()
	ref := Ref{Request: recordtest.Row("r"), Number: Number([]byte("number of answer"))}
	got, err := refOf(ref.Key())
	if err != nil || got != ref {
		t.Errorf("refOf(Key()): got %v, %v, want the same", got, err)
	}
	for _, key := range [][]byte{nil, ref.Key()[1:], append(ref.Key(), 0)} {
		if _, err := refOf(key); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("refOf(%d bytes): got %v, want %v", len(key), err, rows.ErrDamaged)
		}
	}
}
