package spent

import (
	"bytes"
	"testing"

	"hush/storage/spentlog"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

// What was stored once is read for ever.
func TestGoldenRecords(t *testing.T) {
	t.Parallel()
	record := Record{ID: spentlog.ID{0: 0x11, 15: 0xff}, Synced: 258, Folder: "/mnt/other/hush-spent"}
	end := rows.End{Kind: byte(KindTokenRevoked), Row: bytes.Repeat([]byte{0x22}, 32), At: recordtest.Moment(5), Tag: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}}
	recordtest.Check(t, []recordtest.Case{
		{Name: "record-v1", Record: record, Encoded: record.Encode(), Decode: func(b []byte) (any, error) { return DecodeRecord(b) }},
		{Name: "pending-v1", Record: end, Encoded: encodePending(end), Decode: func(b []byte) (any, error) { return decodePending(pendingKey(end), b) }},
	})
}
