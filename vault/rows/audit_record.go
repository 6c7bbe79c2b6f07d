package rows

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/caller"
)

// BucketAudit has node 2 ‖ sequence number 6 -> AuditRecord. The only node of a
// store is node 0.
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
	AuditReport     AuditType = 8  // burned by a colonel or the operator on a report
	AuditDeliver    AuditType = 9  // the recipient's device acknowledged a claim
	AuditLapse      AuditType = 10 // a claim ended without that
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
	AuditInviteRevoked   AuditType = 40
	AuditAdministered    AuditType = 41 // by this administrator, as the row before tells
)

// The kinds of audit rows about root keys.
const (
	AuditKeyRotated AuditType = 60 // it became the current one
	AuditKeyRetired AuditType = 61
)

// AuditResult is the result of an audited event. The numbers are stored.
type AuditResult byte

// AuditDone is the only result so far: a change that fails leaves no row.
const AuditDone AuditResult = 1

const auditVersion = 1

// AuditRecord is one row of the trail.
//
//	version 1 │ time 8 │ type 1 │ result 1 │ subject 22
//
// The subject is the row of a receipt, or, padded with zeros, the id of an account
// or the kid of a root key.
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

// auditWords returns what operators call the types. Scripts depend on the words.
func auditWords() map[AuditType]string {
	return map[AuditType]string{
		AuditConceal:    "secret-concealed",
		AuditView:       "receipt-viewed",
		AuditReveal:     "secret-revealed",
		AuditBurn:       "secret-burned",
		AuditExpire:     "secret-expired",
		AuditPassphrase: "passphrase-tried",
		AuditMemo:       "memo-changed",
		AuditReport:     "secret-burned-on-report",
		AuditDeliver:    "claim-delivered",
		AuditLapse:      "claim-lapsed",

		AuditAccount:         "account-created",
		AuditVerify:          "account-verified",
		AuditSignIn:          "signed-in",
		AuditSignInFailed:    "sign-in-failed",
		AuditPassword:        "password-changed",
		AuditReset:           "password-reset",
		AuditAddress:         "address-changed",
		AuditToken:           "token-created",
		AuditTokenRevoked:    "token-revoked",
		AuditSessionsRevoked: "sessions-revoked",
		AuditRole:            "role-changed",
		AuditDisable:         "account-disabled-or-enabled",
		AuditDestroy:         "account-destroyed",
		AuditInvite:          "invite-created",
		AuditDomainAdded:     "domain-added",
		AuditDomainVerified:  "domain-verified",
		AuditDomainSuspended: "domain-suspended",
		AuditDomainRemoved:   "domain-removed",
		AuditLocale:          "locale-changed",
		AuditNotifications:   "notifications-changed",
		AuditInviteRevoked:   "invite-revoked",
		AuditAdministered:    "account-administered",

		AuditKeyRotated: "root-key-rotated",
		AuditKeyRetired: "root-key-retired",
	}
}

// AuditTypes returns all types, in the order of their numbers.
func AuditTypes() []AuditType { return slices.Sorted(maps.Keys(auditWords())) }

// String returns the word for the type, or "unknown" for one of a later release.
func (t AuditType) String() string { return cmp.Or(auditWords()[t], "unknown") }

// ParseAuditType returns the type of a word.
func ParseAuditType(word string) (kind AuditType, ok bool) {
	for kind, known := range auditWords() {
		if known == word {
			return kind, true
		}
	}
	return 0, false
}

// auditResults has a word for each result.
func auditResults() map[AuditResult]string {
	return map[AuditResult]string{AuditDone: "done"}
}

// String returns the word for the result, or "unknown" for one of a later release.
func (r AuditResult) String() string { return cmp.Or(auditResults()[r], "unknown") }

// firstAccountType is the first type about an account, and firstKeyType the first
// about a root key. Those before them are about a secret, which its receipt's row
// stands for.
const (
	firstAccountType = AuditAccount
	firstKeyType     = AuditKeyRotated
)

// SubjectText returns what the row is about, in hexadecimal digits: the row of a
// receipt, the id of an account, or the kid of a root key.
func (r AuditRecord) SubjectText() (text string, account bool) {
	switch {
	case r.Kind < firstAccountType:
		return hex.EncodeToString(r.Subject[:]), false
	case r.Kind >= firstKeyType:
		return hex.EncodeToString(r.Subject[:4]), false
	}
	return caller.AccountID(r.Subject[:len(caller.AccountID{})]).String(), true
}

// AuditBuckets returns the buckets of this package.
func AuditBuckets() []Bucket {
	return []Bucket{{Name: BucketAudit, Check: CheckRow(8, DecodeAudit)}}
}
