package claim

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/storage"
	"hush/testtier/property"
	"hush/vault/answer"
	"hush/vault/receipt"
	"hush/vault/recordtest"
)

func sample() *Record {
	r := &Record{
		slot: storage.Slot{Number: 7, Generation: 3}, kid: [4]byte{0xde, 0xad, 0xbe, 0xef}, limit: recordtest.Moment(5),
		check: [32]byte(bytes.Repeat([]byte{0x44}, 32)), verifier: [32]byte(bytes.Repeat([]byte{0x55}, 32)),
		Receipt: recordtest.Row("m"), Encryption: receipt.EncryptionEndToEnd,
		Network: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, Wide: [8]byte{0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18},
		Owner: "ada", Spent: storage.Slot{Number: 6, Generation: 2}, sealed: []byte("sealed bytes"),
		lease: textLease(),
	}
	r.deadline = r.firstDeadline()
	r.encodeHeader()
	return r
}

// sampleUnmoved is a record of the first version.
func sampleUnmoved() *Record {
	r := sample()
	r.unmoved, r.deadline = true, r.limit
	return r
}

// sampleOfAnswer is a record of a claim on an answer.
func sampleOfAnswer() *Record {
	r := sample()
	r.Answer = answer.Ref{Request: recordtest.Row("r"), Number: answer.Number([]byte("number of answer"))}
	r.encodeHeader()
	return r
}

// sampleOfFile is a record of a claim on a file.
func sampleOfFile() *Record {
	r := sample()
	r.FileSize, r.lease = 9_000_000, Leases{}.lease()
	r.deadline = r.firstDeadline()
	r.encodeHeader()
	return r
}

// What was stored once is read for ever.
func TestGolden(t *testing.T) {
	t.Parallel()
	recordtest.CheckOpen(t, []recordtest.Case{
		{Name: "claim-v1", Record: sampleUnmoved(), Encoded: sampleUnmoved().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "claim-v2", Record: sample(), Encoded: sample().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "claim-answer-v3", Record: sampleOfAnswer(), Encoded: sampleOfAnswer().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "claim-file-v4", Record: sampleOfFile(), Encoded: sampleOfFile().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
	}, fileVersion, cmp.AllowUnexported(Record{}, lease{}))
}

func FuzzDecode(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decode(data)
		if err != nil {
			return nil, err
		}
		r.encodeHeader() // the header has one form, too
		return r.encode(), nil
	}, "claim-v1", "claim-v2", "claim-answer-v3", "claim-file-v4")
}

// Whatever a record holds, it holds after it was stored and read.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		slot := func(name string) storage.Slot {
			return storage.Slot{Number: rapid.Uint64().Draw(t, name), Generation: rapid.Uint64().Draw(t, name+"'s generation")}
		}
		r := &Record{
			slot: slot("slot"), Spent: slot("secret's slot"), kid: [4]byte(recordtest.Bytes(4).Draw(t, "kid")),
			limit: recordtest.Moments().Draw(t, "limit"), unmoved: rapid.Bool().Draw(t, "unmoved"), check: [32]byte(recordtest.Bytes(32).Draw(t, "check")),
			verifier: [32]byte(recordtest.Bytes(32).Draw(t, "verifier")), Receipt: seal.RowKey(recordtest.Bytes(22).Draw(t, "receipt")),
			Encryption: receipt.Encryption(rapid.ByteRange(1, 2).Draw(t, "encryption")), Owner: rapid.String().Draw(t, "owner"),
			Network: [8]byte(recordtest.Bytes(8).Draw(t, "network")), Wide: [8]byte(recordtest.Bytes(8).Draw(t, "wide")),
			sealed: rapid.SliceOf(rapid.Byte()).Draw(t, "sealed"), lease: textLease(),
		}
		switch {
		case r.unmoved:
		case rapid.Bool().Draw(t, "answer"):
			r.Answer = answer.Ref{Request: seal.RowKey(recordtest.Bytes(22).Draw(t, "request")), Number: answer.Number{1}}
		case rapid.Bool().Draw(t, "file"):
			r.FileSize = rapid.Uint64Min(1).Draw(t, "size")
			r.lease.silence = time.Duration(rapid.Int64Range(1, longestLease.Milliseconds()).Draw(t, "silence")) * time.Millisecond
			r.lease.longest = time.Duration(rapid.Int64Range(r.lease.silence.Milliseconds(), longestLease.Milliseconds()).Draw(t, "longest")) * time.Millisecond
		}
		r.deadline = r.firstDeadline()
		r.encodeHeader()
		got, err := decode(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(Record{}, lease{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("decode(encode(r)): got %v, -want +got\n%s", err, diff)
		}
		moved, err := moveShare(r.encode(), storage.Slot{Number: 1, Generation: 1})
		if err != nil || !bytes.Equal(moved[17:], r.encode()[17:]) {
			t.Errorf("moveShare(r): got %v, want nothing changed but the slot", err)
		}
	})
}

// The bond of a claim, as other programs compute it: SHA-256 of a text and the
// claim.
func TestBond(t *testing.T) {
	t.Parallel()
	claim := bytes.Repeat([]byte{7}, Size)
	got, ok := bondOf(string(claim))
	want := sha256.Sum256(append([]byte{'h', 'u', 's', 'h', ' ', 'c', 'l', 'a', 'i', 'm'}, claim...))
	if !ok || got != bond(want) {
		t.Errorf("bondOf(claim): got %x, %v, want %x", got, ok, want)
	}
	for _, size := range []int{0, 31, 33, 64} {
		if _, ok := bondOf(string(make([]byte, size))); ok {
			t.Errorf("bondOf(%d bytes): got a bond, want none", size)
		}
	}
}
