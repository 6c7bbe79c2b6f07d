package claim

import (
	"encoding/binary"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
)

// decodeDeadline returns what a row of BucketDeadline says.
func decodeDeadline(key, value []byte) (at time.Time, row seal.RowKey, ok bool) {
	switch {
	case len(key) == len(row) && len(value) == 8:
		return rows.FromMillis(binary.BigEndian.Uint64(value)), seal.RowKey(key), true
	case len(key) == 8+len(row) && len(value) == 0:
		return rows.FromMillis(binary.BigEndian.Uint64(key)), seal.RowKey(key[8:]), true
	}
	return at, row, false
}

// deadlineRow returns the key of the row with the deadline of a claim.
func (r *Record) deadlineRow(row seal.RowKey) []byte {
	if r.unmoved {
		return rows.TimeKey(r.limit, row[:])
	}
	return row[:]
}

// load returns the claim on a secret with its deadline, or refusal.ErrNotFound. One
// whose row of the deadline is missing or damaged has its first one.
func load(tx *rows.Tx, row seal.RowKey) (*Record, error) {
	r, err := rows.Load(tx, BucketClaim, row[:], decode)
	if err != nil {
		return nil, err
	}
	return r, r.loadDeadline(tx, row)
}

func (r *Record) loadDeadline(tx storage.Tx, row seal.RowKey) error {
	if r.unmoved {
		return nil
	}
	first := r.deadline
	at, err := rows.LoadOr(tx, BucketDeadline, row[:], func(value []byte) (time.Time, error) {
		if at, _, ok := decodeDeadline(row[:], value); ok {
			return at, nil
		}
		return time.Time{}, rows.ErrDamaged
	}, r.deadline)
	if rows.IsDamage(err) {
		r.deadline = first // the claim itself is sound, and has to end
		return nil
	}
	if err != nil {
		return err
	}
	if r.deadline = at; at.After(r.limit) {
		r.deadline = r.limit
	}
	return nil
}

// putDeadline stores the deadline.
func (r *Record) putDeadline(tx *rows.Tx, row seal.RowKey) error {
	return tx.Put(BucketDeadline, r.deadlineRow(row), rows.BigEndian(rows.Millis(r.deadline)))
}
