package cluster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/cluster"
	"hush/vault/recordtest"
)

func sampleNode() cluster.NodeRecord {
	return cluster.NodeRecord{Instance: cluster.Instance(recordtest.Salt()), Started: recordtest.Moment(5), Formats: cluster.Formats{Oldest: 3, Newest: 4}, Name: "node-a", Release: "1.2.3"}
}

func sampleBeat() cluster.BeatRecord {
	return cluster.BeatRecord{Time: recordtest.Moment(5), Offset: -1234 * time.Millisecond}
}

func sampleKeyBeat() cluster.BeatRecord {
	beat := sampleBeat()
	beat.SealsSince, beat.Keys = recordtest.Moment(4), [][4]byte{{1, 2, 3, 4}, {5, 6, 7, 8}}
	return beat
}

func sampleFormat() cluster.FormatRecord { return cluster.FormatRecord{Format: 4, Release: "1.2.3"} }

func sampleLease() cluster.LeaseRecord {
	return cluster.LeaseRecord{Holder: cluster.Instance(recordtest.Salt()), Fence: 7, Until: recordtest.Moment(5)}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenRows(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "node-v1", Record: sampleNode(), Encoded: sampleNode().Encode(), Decode: func(b []byte) (any, error) { return cluster.DecodeNode(b) }},
		{Name: "copy-v1", Record: sampleCopy(), Encoded: sampleCopy().Encode(), Decode: func(b []byte) (any, error) { return cluster.DecodeCopy(b) }},
		{Name: "lease-v1", Record: sampleLease(), Encoded: sampleLease().Encode(), Decode: func(b []byte) (any, error) { return cluster.DecodeLease(b) }},
		{Name: "beat-v1", Record: sampleBeat(), Encoded: sampleBeat().Encode(), Decode: func(b []byte) (any, error) { return cluster.DecodeBeat(b) }},
		{Name: "beat-v2", Record: sampleKeyBeat(), Encoded: sampleKeyBeat().Encode(), Decode: func(b []byte) (any, error) { return cluster.DecodeBeat(b) }},
		{Name: "format-v1", Record: sampleFormat(), Encoded: sampleFormat().Encode(), Decode: func(b []byte) (any, error) { return cluster.DecodeFormat(b) }},
	}, cmp.Comparer(recordtest.SameEmpty))
}

func sampleCopy() cluster.CopyRecord {
	return cluster.CopyRecord{
		ID: cluster.Instance(recordtest.Salt()), State: cluster.CopyFilling, Began: recordtest.Moment(6), Other: "/var/lib/hush",
		Verifier: []byte("verifier"), Source: []byte("source"), Bucket: "secret", After: []byte("row"),
	}
}

func FuzzDecodeCopy(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := cluster.DecodeCopy(data)
		return r.Encode(), err
	}, "copy-v1")
}

func FuzzDecodeNode(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := cluster.DecodeNode(data)
		return r.Encode(), err
	}, "node-v1")
}

func FuzzDecodeLease(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := cluster.DecodeLease(data)
		return r.Encode(), err
	}, "lease-v1")
}

func FuzzDecodeBeat(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := cluster.DecodeBeat(data)
		return r.Encode(), err
	}, "beat-v1", "beat-v2")
}

func FuzzDecodeFormat(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := cluster.DecodeFormat(data)
		return r.Encode(), err
	}, "format-v1")
}
