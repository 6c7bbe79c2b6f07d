package audit_test

import (
	"testing"

	"pgregory.net/rapid"

	"hush/seal"
	"hush/testtier/property"
	"hush/vault/audit"
	"hush/vault/recordtest"
)

func sampleAudit() audit.Record {
	return audit.Record{Time: recordtest.Moment(5), Kind: audit.Reveal, Result: audit.Done, Subject: recordtest.Row("m")}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenAudit(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "audit-v1", Record: sampleAudit(), Encoded: sampleAudit().Encode(), Decode: func(b []byte) (any, error) { return audit.Decode(b) }},
	})
}

func FuzzDecodeAudit(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := audit.Decode(data)
		return r.Encode(), err
	}, "audit-v1")
}

func TestAuditRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		row := audit.Record{
			Time: recordtest.Moments().Draw(t, "time"), Kind: audit.Type(rapid.Byte().Draw(t, "kind")),
			Result: audit.Result(rapid.Byte().Draw(t, "result")), Subject: seal.RowKey(recordtest.Bytes(22).Draw(t, "subject")),
		}
		if got, err := audit.Decode(row.Encode()); got != row || err != nil {
			t.Errorf("DecodeAudit(Encode(r)): got %v, %v, want %v", got, err, row)
		}
	})
}
