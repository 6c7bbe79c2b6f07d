package cluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/recordtest"
)

func sampleNode() NodeRecord {
	return NodeRecord{Instance: Instance(recordtest.Salt()), Started: recordtest.Moment(5), Formats: Formats{Oldest: 3, Newest: 4}, Name: "node-a", Release: "1.2.3"}
}

func sampleBeat() BeatRecord {
	return BeatRecord{Time: recordtest.Moment(5), Offset: -1234 * time.Millisecond}
}

func sampleKeyBeat() BeatRecord {
	beat := sampleBeat()
	beat.SealsSince, beat.Keys = recordtest.Moment(4), [][4]byte{{1, 2, 3, 4}, {5, 6, 7, 8}}
	return beat
}

func sampleFormat() FormatRecord { return FormatRecord{Format: 4, Release: "1.2.3"} }

func sampleLease() leaseRecord {
	return leaseRecord{Holder: Instance(recordtest.Salt()), Fence: 7, Until: recordtest.Moment(5)}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenRows(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "node-v1", Record: sampleNode(), Encoded: sampleNode().Encode(), Decode: func(b []byte) (any, error) { return DecodeNode(b) }},
		{Name: "copy-v1", Record: sampleCopy(), Encoded: sampleCopy().Encode(), Decode: func(b []byte) (any, error) { return DecodeCopy(b) }},
		{Name: "lease-v1", Record: sampleLease(), Encoded: sampleLease().encode(), Decode: func(b []byte) (any, error) { return decodeLease(b) }},
		{Name: "beat-v1", Record: sampleBeat(), Encoded: sampleBeat().Encode(), Decode: func(b []byte) (any, error) { return DecodeBeat(b) }},
		{Name: "beat-v2", Record: sampleKeyBeat(), Encoded: sampleKeyBeat().Encode(), Decode: func(b []byte) (any, error) { return DecodeBeat(b) }},
		{Name: "format-v1", Record: sampleFormat(), Encoded: sampleFormat().Encode(), Decode: func(b []byte) (any, error) { return DecodeFormat(b) }},
	}, cmp.Comparer(recordtest.SameEmpty))
}

func sampleCopy() CopyRecord {
	return CopyRecord{
		ID: Instance(recordtest.Salt()), State: CopyFilling, Began: recordtest.Moment(6), Other: "/var/lib/hush",
		Verifier: []byte("verifier"), Source: []byte("source"), Bucket: "secret", After: []byte("row"),
	}
}

func FuzzDecodeCopy(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeCopy(data)
		return r.Encode(), err
	}, "copy-v1")
}

func FuzzDecodeNode(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeNode(data)
		return r.Encode(), err
	}, "node-v1")
}

func FuzzDecodeLease(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeLease(data)
		return r.encode(), err
	}, "lease-v1")
}

func FuzzDecodeBeat(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeBeat(data)
		return r.Encode(), err
	}, "beat-v1", "beat-v2")
}

func FuzzDecodeFormat(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeFormat(data)
		return r.Encode(), err
	}, "format-v1")
}
