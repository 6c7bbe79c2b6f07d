package rows

import (
	"encoding/binary"
	"math"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
)

// SystemAudit is the row of the bucket system that has the number of a node's last row.
const SystemAudit = "audit sequence"

// AuditShift is where the number of a node begins in the number of a row. Rows
// of node 0 have the plain sequence.
const AuditShift = 48

// auditFrom returns the key before the first row of a node, and auditTo the key
// after its last possible row, nil for the end of the bucket.
func auditFrom(node uint16) []byte { return BigEndian(uint64(node) << AuditShift) }

func auditTo(node uint16) []byte {
	if node == math.MaxUint16 {
		return nil
	}
	return auditFrom(node + 1)
}

// appendAudit adds a row in the transaction of the change that it records, to
// the rows of the node that runs it. The numbers of a node have no gaps: they
// come from a counter in the same transaction.
func appendAudit(tx *Tx, row AuditRecord) error {
	node, _ := tx.Node()
	var next [8]byte
	err := tx.Change(BucketSystem, SystemOf(SystemAudit, node), func(stored []byte) ([]byte, error) {
		seq := uint64(node) << AuditShift
		if stored != nil {
			var err error
			if seq, err = auditSequence(node, stored); err != nil {
				return nil, err
			}
		}
		binary.BigEndian.PutUint64(next[:], seq+1)
		return next[:], nil
	})
	if err != nil {
		return err
	}
	return tx.Put(BucketAudit, next[:], row.Encode())
}

// AuditRowSize is the size of a row: its key, its record, and the database's
// overhead.
const AuditRowSize = 8 + 33 + 16

// AuditRows returns the number of rows of all nodes. The numbers of a node have
// no gaps, so it reads only the first row and the counter of each.
func AuditRows(tx storage.Tx) (rows int64, err error) {
	last, err := AuditSequences(tx)
	if err != nil {
		return 0, err
	}
	for node, seq := range last {
		err = tx.Range(BucketAudit, auditFrom(node), auditTo(node), func(key, _ []byte) error {
			if len(key) != 8 {
				return nil // not a row of the trail
			}
			rows += max(0, int64(seq-binary.BigEndian.Uint64(key)+1))
			return ErrEnough
		})
		if err = IgnoreEnough(err); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// AuditSequences returns the number of the last row of each node that has
// written one.
func AuditSequences(tx storage.Tx) (map[uint16]uint64, error) {
	last := map[uint16]uint64{}
	err := RangeSystem(tx, SystemAudit, func(node uint16, value []byte) (err error) {
		last[node], err = auditSequence(node, value)
		return err
	})
	return last, err
}

// auditSequence decodes the number of a node's last row.
func auditSequence(node uint16, stored []byte) (uint64, error) {
	if len(stored) != 8 {
		return 0, ErrDamaged
	}
	seq := binary.BigEndian.Uint64(stored)
	if seq>>AuditShift != uint64(node) {
		return 0, ErrDamaged
	}
	return seq, nil
}

// WriteAudit adds a row to the trail in the transaction of the change that it
// records.
func WriteAudit(tx *Tx, now time.Time, kind AuditType, subject seal.RowKey) error {
	return appendAudit(tx, AuditRecord{Time: now, Kind: kind, Result: AuditDone, Subject: subject})
}

// WriteKeyAudit adds a row about a root key: its kid, padded with zeros, is the
// subject.
func WriteKeyAudit(tx *Tx, now time.Time, kind AuditType, kid [4]byte) error {
	var subject seal.RowKey
	copy(subject[:], kid[:])
	return WriteAudit(tx, now, kind, subject)
}

// WriteAccountAudit adds a row about an account: its id, padded with zeros, is the
// subject.
func WriteAccountAudit(tx *Tx, now time.Time, kind AuditType, id caller.AccountID) error {
	var subject seal.RowKey
	copy(subject[:], id[:])
	return WriteAudit(tx, now, kind, subject)
}
