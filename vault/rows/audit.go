package rows

import (
	"encoding/binary"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
)

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
