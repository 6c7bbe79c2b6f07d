package exam

// Code names a kind of finding of an examination. Codes are never renamed:
// operators' programs compare them. Package doctor says what each means.
type Code string

// The codes of what all buckets have in common.
const (
	CodeRow     Code = "row-damaged"
	CodeCounter Code = "counter-wrong"
)

// The codes of rows of the bucket system, of the audit trail and of the due
// index.
const (
	CodeSystem      Code = "system-unknown"
	CodeVerifier    Code = "verifier-missing"
	CodeWrongKey    Code = "key-wrong"
	CodeCopied      Code = "copy-unfinished"
	CodeClockAhead  Code = "clock-ahead"
	CodeAuditGap    Code = "audit-gap"
	CodeAuditBeyond Code = "audit-beyond"
	CodeDueMissing  Code = "due-missing"
	CodeDueKind     Code = "due-unknown"
)

// The codes of secrets, receipts and shares.
const (
	CodeSecretReceipt   Code = "secret-receipt"
	CodeSecretSize      Code = "secret-size"
	CodeReceiptSecret   Code = "receipt-secret"
	CodeReceiptState    Code = "receipt-state"
	CodeReceiptEntry    Code = "receipt-entry"
	CodeEntryReceipt    Code = "entry-receipt"
	CodeExpired         Code = "expired-waiting"
	CodeExpiryMissing   Code = "expiry-missing"
	CodeExpiryStray     Code = "expiry-stray"
	CodeAttemptStray    Code = "attempt-stray"
	CodeTimelineStray   Code = "timeline-stray"
	CodeClaimSize       Code = "claim-size"
	CodeClaimDue        Code = "claim-waiting"
	CodeReceiptClaim    Code = "receipt-claim"
	CodeDeadlineMissing Code = "deadline-missing"
	CodeDeadlineStray   Code = "deadline-stray"
	CodeShareMissing    Code = "share-missing"
	CodeShareGeneration Code = "share-generation"
	CodeSlotShared      Code = "slot-shared"
	CodeSlotDamaged     Code = "slot-damaged"
	CodeSlotOrphaned    Code = "slot-orphaned"
	CodeShredLive       Code = "shred-live"
	CodeShredLeft       Code = "shred-left"
	CodeMailSealed      Code = "mail-sealed"
)

// The codes of accounts and of what belongs to them.
const (
	CodeAccountMissing Code = "account-missing"
	CodeAccountAddress Code = "account-address"
	CodeAddressIndex   Code = "address-index"
	CodeAddressStray   Code = "address-stray"
	CodeField          Code = "field-sealed"
	CodeTicket         Code = "ticket-unfit"
	CodeTallyStray     Code = "tally-stray"
	CodePairMissing    Code = "pair-missing"
	CodePairUnheld     Code = "pair-unheld"
	CodeListMissing    Code = "list-missing"
	CodeListStray      Code = "list-stray"
	CodeDomainID       Code = "domain-id"
	CodeDomainVerified Code = "domain-verified"
	CodeDomainRecheck  Code = "domain-recheck"
	CodeDomainImage    Code = "domain-image"
	CodeRecheckStray   Code = "recheck-stray"
)

// Finding is something that an examination found, at one place.
type Finding struct {
	Code   Code
	Bucket string // empty if it is about no row
	Key    []byte // of the row; nil if it is about no row
	// Note says more, such as two numbers that differ. It has nothing of a
	// content.
	Note string
}
