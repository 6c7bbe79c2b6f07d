package receipt

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/caller"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

func sampleMetadata() *Record {
	return &Record{
		state: StateViewed, hasPassphrase: true, created: recordtest.Moment(5), expires: recordtest.Moment(65),
		updated: recordtest.Moment(7), viewed: recordtest.Moment(6), ttl: time.Minute, secret: recordtest.Row("s"),
		hint: [hintSize]byte([]byte("abc123")), shareDomain: "secrets.example.com", owner: "ada@example.com",
		recipients: []string{"b***@example.com", ""}, sealedKey: []byte("sealed key"), sealedMemo: []byte("sealed memo"),
		encryption: EncryptionServer,
	}
}

func sampleEndedMetadata() *Record {
	return &Record{
		state: StateReceived, created: recordtest.Moment(5), expires: recordtest.Moment(65), updated: recordtest.Moment(9),
		ended: recordtest.Moment(9), ttl: time.Minute, hint: [hintSize]byte([]byte("abc123")), encryption: EncryptionServer,
	}
}

// delivered adds what version 4 of a receipt has besides.
func delivered(r *Record) *Record {
	r = charged(r)
	r.encryption = EncryptionEndToEnd
	r.outcome = OutcomeDelivered
	r.outcomeAt = recordtest.Moment(10)
	return r
}

// grouped adds what a receipt of a group has besides.
func grouped(r *Record) *Record {
	r = charged(r)
	r.group = Group([]byte("sixteen  letters"))
	return r
}

// charged adds what version 3 of a receipt has besides.
func charged(r *Record) *Record {
	r = placed(r)
	r.network, r.wide = [8]byte([]byte("network!")), [8]byte([]byte("wide /48"))
	return r
}

// placed adds what version 2 of a receipt has.
func placed(r *Record) *Record {
	r.createdBy, r.endedBy = "192.0.2.0/24", ""
	if !r.ended.IsZero() {
		r.endedBy = "2001:db8::/48"
	}
	return r
}

func sampleTimeline() *timelineRecord {
	return &timelineRecord{events: []Event{
		{Kind: EventLooked, Time: recordtest.Moment(6), Network: "192.0.2.0/24", Count: 1},
		{Kind: EventPassphrase, Time: recordtest.Moment(7), Network: "2001:db8::/48", Count: 3},
	}}
}

func sampleEntry() *EntryRecord {
	return &EntryRecord{Boxes: []entryBox{
		{caller.PairID{1, 2, 3, 4, 5, 6, 7, 8}, []byte("sealed for one")}, {caller.PairID{9}, []byte("sealed for another")},
	}}
}

// Numbers that no writer writes are refused, not interpreted.
func TestImpossibleNumbers(t *testing.T) {
	t.Parallel()
	at := func(data []byte, offset int, value uint64) []byte {
		return append(append(append([]byte{}, data[:offset]...), rows.BigEndian(value)...), data[offset+8:]...)
	}
	const ttlOffset, timeOffset = 1 + 1 + 1 + 5*8, 3
	metadata := sampleMetadata().encode()
	yearOne := time.Time{}.UnixMilli()
	for name, data := range map[string][]byte{
		"longest ttl":     at(metadata, ttlOffset, 1<<64-1),
		"ttl over int64":  at(metadata, ttlOffset, 1<<63/1_000_000_000+1),
		"before 1970":     at(metadata, timeOffset, 1<<63),
		"the zero moment": at(metadata, timeOffset, uint64(yearOne)),
	} {
		if _, err := decode(data); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("decode(%s): got %v, want %v", name, err, rows.ErrDamaged)
		}
	}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenRecords(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "metadata-v1", Record: sampleMetadata(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-ended-v1", Record: sampleEndedMetadata(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-v2", Record: placed(sampleMetadata()), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-ended-v2", Record: placed(sampleEndedMetadata()), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-v3", Record: charged(sampleMetadata()), Encoded: charged(sampleMetadata()).encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-ended-v3", Record: charged(sampleEndedMetadata()), Encoded: charged(sampleEndedMetadata()).encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-ended-v4", Record: delivered(sampleEndedMetadata()), Encoded: delivered(sampleEndedMetadata()).encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "metadata-grouped-v4", Record: grouped(sampleMetadata()), Encoded: grouped(sampleMetadata()).encode(), Decode: func(b []byte) (any, error) { return decode(b) }},
		{Name: "timeline-v1", Record: sampleTimeline(), Encoded: sampleTimeline().encode(), Decode: func(b []byte) (any, error) { return decodeTimeline(b) }},
		{Name: "entry-v1", Record: sampleEntry(), Encoded: sampleEntry().encode(), Decode: func(b []byte) (any, error) { return DecodeEntry(b) }},
	}, cmp.AllowUnexported(Record{}, timelineRecord{}, EntryRecord{}, entryBox{}), cmp.Comparer(recordtest.SameEmpty))
}
