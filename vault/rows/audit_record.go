package rows

import (
	"time"

	"hush/seal"
)

const auditVersion = 1

// AuditRecord is one row of the trail.
//
//	version 1 │ time 8 │ type 1 │ result 1 │ subject: metadata row 22
type AuditRecord struct {
	Time    time.Time
	Kind    AuditType
	Result  AuditResult
	Subject seal.RowKey
}

// Encode encodes a row.
func (r AuditRecord) Encode() []byte {
	w := make(Writer, 0, 33)
	w.Byte(auditVersion)
	w.Time(r.Time)
	w.Byte(byte(r.Kind))
	w.Byte(byte(r.Result))
	w.Bytes(r.Subject[:])
	return w
}

// DecodeAudit decodes a row.
func DecodeAudit(data []byte) (AuditRecord, error) {
	in := NewReader(data)
	var r AuditRecord
	in.Version(auditVersion)
	r.Time, r.Kind, r.Result = in.Time(), AuditType(in.Byte()), AuditResult(in.Byte())
	in.Into(r.Subject[:])
	return r, in.End()
}
