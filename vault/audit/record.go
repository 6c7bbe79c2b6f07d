package audit

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketAudit has node 2 ‖ sequence number 6 -> Record. The only node of a
// store is node 0.
const BucketAudit = "audit"

// Type is the type of an audited event. The numbers are stored.
type Type byte

// The kinds of audit rows.
const (
	Conceal    Type = 1
	View       Type = 2 // metadata fetched for the first time
	Reveal     Type = 3
	Burn       Type = 4
	Expire     Type = 5
	Passphrase Type = 6 // an attempt was reserved
	Memo       Type = 7
	Report     Type = 8  // burned by a colonel or the operator on a report
	Deliver    Type = 9  // the recipient's device acknowledged a claim
	Lapse      Type = 10 // a claim ended without that
	Request    Type = 11 // someone asked for a secret
	Answer     Type = 12 // stored; a row about its secret's receipt follows
	Close      Type = 13 // a request, by its requester, an administrator or the end of its account
	Withdraw   Type = 14 // a request, by a colonel on a report
	Arrive     Type = 15 // the last part of a file
)

// The kinds of audit rows about accounts.
const (
	Account         Type = 20 // created
	Verify          Type = 21
	SignIn          Type = 22
	SignInFailed    Type = 23
	Password        Type = 24
	Reset           Type = 25
	Address         Type = 26
	Token           Type = 27
	TokenRevoked    Type = 28
	SessionsRevoked Type = 29
	Role            Type = 30
	Disable         Type = 31
	Destroy         Type = 32
	Invite          Type = 33
	DomainAdded     Type = 34
	DomainVerified  Type = 35
	DomainSuspended Type = 36
	DomainRemoved   Type = 37
	Locale          Type = 38
	Notifications   Type = 39
	InviteRevoked   Type = 40
	Administered    Type = 41 // by this administrator, as the row before tells
)

// The kinds of audit rows about root keys.
const (
	KeyRotated Type = 60 // it became the current one
	KeyRetired Type = 61
)

// Result is the result of an audited event. The numbers are stored.
type Result byte

// Done is the only result so far: a change that fails leaves no row.
const Done Result = 1

const auditVersion = 1

// Record is one row of the trail.
//
//	version 1 │ time 8 │ type 1 │ result 1 │ subject 22
//
// The subject is the row of a receipt or of a request, or, padded with zeros, the id of an account
// or the kid of a root key.
type Record struct {
	Time    time.Time
	Kind    Type
	Result  Result
	Subject seal.RowKey
}

func (r *Record) fields(c *rows.Codec) {
	c.Version(auditVersion)
	c.Time(&r.Time)
	rows.Byte(c, &r.Kind)
	rows.Byte(c, &r.Result)
	c.Bytes(r.Subject[:])
}

// Encode encodes a row.
func (r Record) Encode() []byte { return rows.Encode(33, &r, (*Record).fields) }

// Decode decodes a row.
func Decode(data []byte) (r Record, err error) {
	err = rows.Decode(data, &r, (*Record).fields)
	return r, err
}

// auditWords returns what operators call the types. Scripts depend on the words.
func auditWords() map[Type]string {
	return map[Type]string{
		Conceal:    "secret-concealed",
		View:       "receipt-viewed",
		Reveal:     "secret-revealed",
		Burn:       "secret-burned",
		Expire:     "secret-expired",
		Passphrase: "passphrase-tried",
		Memo:       "memo-changed",
		Report:     "secret-burned-on-report",
		Deliver:    "claim-delivered",
		Lapse:      "claim-lapsed",
		Request:    "request-created",
		Answer:     "request-answered",
		Close:      "request-closed",
		Withdraw:   "request-closed-on-report",
		Arrive:     "file-arrived",

		Account:         "account-created",
		Verify:          "account-verified",
		SignIn:          "signed-in",
		SignInFailed:    "sign-in-failed",
		Password:        "password-changed",
		Reset:           "password-reset",
		Address:         "address-changed",
		Token:           "token-created",
		TokenRevoked:    "token-revoked",
		SessionsRevoked: "sessions-revoked",
		Role:            "role-changed",
		Disable:         "account-disabled-or-enabled",
		Destroy:         "account-destroyed",
		Invite:          "invite-created",
		DomainAdded:     "domain-added",
		DomainVerified:  "domain-verified",
		DomainSuspended: "domain-suspended",
		DomainRemoved:   "domain-removed",
		Locale:          "locale-changed",
		Notifications:   "notifications-changed",
		InviteRevoked:   "invite-revoked",
		Administered:    "account-administered",

		KeyRotated: "root-key-rotated",
		KeyRetired: "root-key-retired",
	}
}

// Types returns all types, in the order of their numbers.
func Types() []Type { return slices.Sorted(maps.Keys(auditWords())) }

// String returns the word for the type, or "unknown" for one of a later release.
func (t Type) String() string { return cmp.Or(auditWords()[t], "unknown") }

// ParseType returns the type of a word.
func ParseType(word string) (kind Type, ok bool) {
	for kind, known := range auditWords() {
		if known == word {
			return kind, true
		}
	}
	return 0, false
}

// auditResults has a word for each result.
func auditResults() map[Result]string {
	return map[Result]string{Done: "done"}
}

// String returns the word for the result, or "unknown" for one of a later release.
func (r Result) String() string { return cmp.Or(auditResults()[r], "unknown") }

// firstAccountType is the first type about an account, and firstKeyType the first
// about a root key. Those before them are about a secret, which its receipt's row
// stands for, or about a request.
const (
	firstAccountType = Account
	firstKeyType     = KeyRotated
)

// SubjectText returns what the row is about, in hexadecimal digits: the row of a
// receipt or a request, the id of an account, or the kid of a root key.
func (r Record) SubjectText() (text string, account bool) {
	switch {
	case r.Kind < firstAccountType:
		return hex.EncodeToString(r.Subject[:]), false
	case r.Kind >= firstKeyType:
		return hex.EncodeToString(r.Subject[:4]), false
	}
	return caller.AccountID(r.Subject[:len(caller.AccountID{})]).String(), true
}

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketAudit, Check: rows.CheckRow(8, Decode)}}
}
