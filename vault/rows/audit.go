package rows

import (
	"encoding/binary"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
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

// appendAudit adds a row in the transaction of the change that it records.
// Numbers have no gaps: they come from a counter in the same transaction.
func appendAudit(tx storage.Tx, row AuditRecord) error {
	seq, err := auditSequence(tx)
	if err != nil {
		return err
	}
	next := BigEndian(seq + 1)
	if err := PutSystem(tx, SystemAudit, next); err != nil {
		return err
	}
	return tx.Put(BucketAudit, next, row.Encode())
}

// AuditRowSize is the size of a row: its key, its record, and the database's
// overhead.
const AuditRowSize = 8 + 33 + 16

// AuditRows returns the number of rows. Their numbers have no gaps, so it reads
// only the first row and the counter.
func AuditRows(tx storage.Tx) (rows int64, err error) {
	last, err := auditSequence(tx)
	if err != nil {
		return 0, err
	}
	err = tx.Range(BucketAudit, nil, nil, func(key, _ []byte) error {
		if len(key) != 8 {
			return nil // not a row of the trail
		}
		rows = int64(last - binary.BigEndian.Uint64(key) + 1)
		return ErrEnough
	})
	return max(0, rows), IgnoreEnough(err)
}

// auditSequence returns the number of the last row, 0 before the first.
func auditSequence(tx storage.Tx) (uint64, error) {
	stored, err := GetSystem(tx, SystemAudit)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	case len(stored) != 8:
		return 0, ErrDamaged
	}
	return binary.BigEndian.Uint64(stored), nil
}

// WriteAudit adds a row to the trail in the transaction of the change that it
// records.
func WriteAudit(tx storage.Tx, now time.Time, kind AuditType, subject seal.RowKey) error {
	return appendAudit(tx, AuditRecord{Time: now, Kind: kind, Result: AuditDone, Subject: subject})
}

// WriteAccountAudit adds a row about an account: its id, padded with zeros, is the
// subject.
func WriteAccountAudit(tx storage.Tx, now time.Time, kind AuditType, id caller.AccountID) error {
	var subject seal.RowKey
	copy(subject[:], id[:])
	return WriteAudit(tx, now, kind, subject)
}
