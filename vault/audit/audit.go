package audit

import (
	"encoding/binary"
	"math"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/rows"
)

// SystemAudit is the row of the bucket system that has the number of a node's last row.
const SystemAudit = "audit sequence"

// Shift is where the number of a node begins in the number of a row. Rows
// of node 0 have the plain sequence.
const Shift = 48

// auditFrom returns the key before the first row of a node, and auditTo the key
// after its last possible row, nil for the end of the bucket.
func auditFrom(node uint16) []byte { return rows.BigEndian(uint64(node) << Shift) }

func auditTo(node uint16) []byte {
	if node == math.MaxUint16 {
		return nil
	}
	return auditFrom(node + 1)
}

// Write adds a row to the trail in the transaction of the change that it records, to
// the rows of the node that runs it. The numbers of a node have no gaps: they come from a
// counter in the same transaction.
func Write(tx *rows.Tx, now time.Time, kind Type, subject seal.RowKey) error {
	node, _ := tx.Node()
	var next [8]byte
	err := rows.ChangeSystem(tx, SystemAudit, func(stored []byte) ([]byte, error) {
		seq := uint64(node) << Shift
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
	row := Record{Time: now, Kind: kind, Result: Done, Subject: subject}
	return tx.Put(BucketAudit, next[:], row.Encode())
}

// RowSize is the size of a row: its key, its record, and the database's
// overhead.
const RowSize = 8 + 33 + 16

// Rows returns the number of rows of all nodes. The numbers of a node have
// no gaps, so it reads only the first row and the counter of each.
func Rows(tx storage.Tx) (total int64, err error) {
	last, err := Sequences(tx)
	if err != nil {
		return 0, err
	}
	for node, seq := range last {
		err = tx.Range(BucketAudit, auditFrom(node), auditTo(node), func(key, _ []byte) error {
			if len(key) != 8 {
				return nil // not a row of the trail
			}
			total += max(0, int64(seq-binary.BigEndian.Uint64(key)+1))
			return rows.ErrEnough
		})
		if err = rows.IgnoreEnough(err); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Sequences returns the number of the last row of each node that has
// written one.
func Sequences(tx storage.Tx) (map[uint16]uint64, error) {
	last := map[uint16]uint64{}
	err := rows.RangeSystem(tx, SystemAudit, func(node uint16, value []byte) (err error) {
		last[node], err = auditSequence(node, value)
		return err
	})
	return last, err
}

// auditSequence decodes the number of a node's last row.
func auditSequence(node uint16, stored []byte) (uint64, error) {
	if len(stored) != 8 {
		return 0, rows.ErrDamaged
	}
	seq := binary.BigEndian.Uint64(stored)
	if seq>>Shift != uint64(node) {
		return 0, rows.ErrDamaged
	}
	return seq, nil
}

// WriteKey adds a row about a root key: its kid, padded with zeros, is the
// subject.
func WriteKey(tx *rows.Tx, now time.Time, kind Type, kid [4]byte) error {
	var subject seal.RowKey
	copy(subject[:], kid[:])
	return Write(tx, now, kind, subject)
}

// WriteAccount adds a row about an account: its id, padded with zeros, is the
// subject.
func WriteAccount(tx *rows.Tx, now time.Time, kind Type, id caller.AccountID) error {
	var subject seal.RowKey
	copy(subject[:], id[:])
	return Write(tx, now, kind, subject)
}
