package request

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/testtier/property"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

func sample() *Record {
	fill := func(b byte) [32]byte { return [32]byte(bytes.Repeat([]byte{b}, 32)) }
	return &Record{
		state: storedOpen, created: recordtest.Moment(5), expires: recordtest.Moment(65), answers: 3, showsAddress: true,
		linkProof: fill(0x66), collectProof: fill(0x77), collect: recordtest.Row("c"), pair: fill(0x55), owner: "ada",
		createdBy: "192.0.2.0/24", shareDomain: "secrets.example.com", box: []byte("box"), linkBox: []byte("link box"), card: []byte("card"),
	}
}

func sampleClosed() *Record {
	r := sample()
	r.state, r.closed, r.showsAddress, r.notifies, r.owner = storedClosed, recordtest.Moment(6), false, true, ""
	r.network, r.wide = [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, [8]byte{0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}
	return r
}

// What was stored once is read for ever.
func TestGolden(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "request-v1", Record: sample(), Encoded: sample().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "request-closed-v1", Record: sampleClosed(), Encoded: sampleClosed().encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
	}, cmp.AllowUnexported(Record{}), cmp.Comparer(recordtest.SameEmpty))
}

func FuzzDecode(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decode(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "request-v1", "request-closed-v1")
}

// Whatever a record holds, it holds after it was stored and read.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		text := func(name string) []byte { return rapid.SliceOf(rapid.Byte()).Draw(t, name) }
		r := &Record{
			state: stored(rapid.ByteRange(1, 3).Draw(t, "state")), created: recordtest.Moments().Draw(t, "created"),
			expires: recordtest.Moments().Draw(t, "expires"), closed: recordtest.Moments().Draw(t, "closed"),
			answers: rapid.Uint32().Draw(t, "answers"), showsAddress: rapid.Bool().Draw(t, "shows"), notifies: rapid.Bool().Draw(t, "notifies"),
			network: [8]byte(recordtest.Bytes(8).Draw(t, "network")), wide: [8]byte(recordtest.Bytes(8).Draw(t, "wide")),
			linkProof: [32]byte(recordtest.Bytes(32).Draw(t, "link")), collectProof: [32]byte(recordtest.Bytes(32).Draw(t, "collect proof")),
			collect: seal.RowKey(recordtest.Bytes(22).Draw(t, "collect")), pair: seal.AccountPublic(recordtest.Bytes(32).Draw(t, "pair")),
			owner: rapid.String().Draw(t, "owner"), createdBy: rapid.String().Draw(t, "by"), shareDomain: rapid.String().Draw(t, "domain"),
			box: text("box"), linkBox: text("link box"), card: text("card"),
		}
		got, err := decode(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(Record{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("decode(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}

// A row of the list leads to its request, and newer ones come first.
func TestListKeys(t *testing.T) {
	t.Parallel()
	row := recordtest.Row("r")
	account := sample()
	account.owner = caller.AccountID{1}.String()
	for _, r := range []*Record{account, sampleClosed()} {
		for _, key := range r.listKeys(row) {
			got, err := listedRow(key)
			if err != nil || got != row {
				t.Errorf("listedRow(key): got %x, %v, want %x", got, err, row)
			}
			for _, other := range [][]byte{nil, key[1:], append(bytes.Clone(key), 0), append([]byte{'x'}, key[1:]...)} {
				if _, err := listedRow(other); !errors.Is(err, rows.ErrDamaged) {
					t.Errorf("listedRow(%d bytes): got %v, want %v", len(other), err, rows.ErrDamaged)
				}
			}
			later := *r
			later.created = r.created.Add(time.Millisecond)
			if bytes.Compare(later.listKey(key[0], nil, row), r.listKey(key[0], nil, row)) >= 0 {
				t.Error("listKey(later): got it after the earlier one, want it before")
			}
		}
	}
}

// An id names one request, in one spelling.
func TestIDs(t *testing.T) {
	t.Parallel()
	row := recordtest.Row("r")
	got, ok := parseID(idOf(row))
	if !ok || got != row {
		t.Errorf("parseID(idOf(row)): got %x, %v, want the row", got, ok)
	}
	for _, id := range []string{"", "00", idOf(row)[2:], idOf(row) + "00", "3" + idOf(row)[1:43] + "x", string(bytes.ToUpper([]byte(idOf(row))))} {
		if _, ok := parseID(id); ok {
			t.Errorf("parseID(%q): got a row, want none", id)
		}
	}
}

// A request is forgotten when no answer can wait, whether one came or not.
func TestForgotten(t *testing.T) {
	t.Parallel()
	r := sample()
	if got, want := r.forgotten(), r.expires.Add(answer.Lifetime); !got.Equal(want) {
		t.Errorf("forgotten(): got %v, want %v", got, want)
	}
}
