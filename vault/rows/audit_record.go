package rows

import (
	"time"

	"hush/seal"
)

// BucketAudit has sequence number (8) -> AuditRecord.
const BucketAudit = "audit"

// AuditType is the type of an audited event. The numbers are stored.
type AuditType byte

// The kinds of audit rows.
const (
	AuditConceal    AuditType = 1
	AuditView       AuditType = 2 // metadata fetched for the first time
	AuditReveal     AuditType = 3
	AuditBurn       AuditType = 4
	AuditExpire     AuditType = 5
	AuditPassphrase AuditType = 6 // an attempt was reserved
	AuditMemo       AuditType = 7
	AuditReport     AuditType = 8 // burned by a colonel or the operator on a report
)

// The kinds of audit rows about accounts.
const (
	AuditAccount         AuditType = 20 // created
	AuditVerify          AuditType = 21
	AuditSignIn          AuditType = 22
	AuditSignInFailed    AuditType = 23
	AuditPassword        AuditType = 24
	AuditReset           AuditType = 25
	AuditAddress         AuditType = 26
	AuditToken           AuditType = 27
	AuditTokenRevoked    AuditType = 28
	AuditSessionsRevoked AuditType = 29
	AuditRole            AuditType = 30
	AuditDisable         AuditType = 31
	AuditDestroy         AuditType = 32
	AuditInvite          AuditType = 33
	AuditDomainAdded     AuditType = 34
	AuditDomainVerified  AuditType = 35
	AuditDomainSuspended AuditType = 36
	AuditDomainRemoved   AuditType = 37
	AuditLocale          AuditType = 38
	AuditNotifications   AuditType = 39
)

// AuditResult is the result of an audited event. The numbers are stored.
type AuditResult byte

// AuditDone is the only result so far: a change that fails leaves no row.
const AuditDone AuditResult = 1

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
