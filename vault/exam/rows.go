package exam

import (
	"encoding/binary"
	"slices"

	"hush/vault/audit"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// dueInvariant keeps what is in the due index, for WantDue. It goes before all
// other buckets.
func (x *Exam) dueInvariant() Invariant {
	return Invariant{
		Bucket: sweep.BucketDue,
		Row: func(key, _ []byte) error {
			kind := sweep.DueKind(key[8])
			if kind < sweep.DueSession || kind > sweep.DueLast {
				x.Report(CodeDueKind, sweep.BucketDue, key)
			}
			x.dues = append(x.dues, x.dueHash(kind, key[9:]))
			return nil
		},
		End: func() error {
			slices.Sort(x.dues)
			return nil
		},
	}
}

// auditInvariant checks that the numbers of each node's rows have no gap and end
// with its counter. The oldest rows are deleted after a while.
func (x *Exam) auditInvariant() Invariant {
	var last uint64
	var before []byte
	counters, loaded := map[uint16]uint64{}, false
	load := func() (err error) {
		if !loaded {
			loaded = true
			counters, err = audit.Sequences(x.Tx)
			if rows.IsDamage(err) {
				counters, err = nil, nil // the row of the counter is reported
			}
		}
		return err
	}
	endNode := func() {
		node := uint16(last >> audit.Shift)
		if counter, ok := counters[node]; ok && before != nil && counter > last {
			x.Notef(CodeAuditGap, audit.BucketAudit, before, "%d rows are missing after it", counter-last)
		}
	}
	return Invariant{
		Bucket: audit.BucketAudit,
		Row: func(key, _ []byte) error {
			if err := load(); err != nil {
				return err
			}
			number := binary.BigEndian.Uint64(key)
			node := uint16(number >> audit.Shift)
			switch {
			case before == nil:
			case uint16(last>>audit.Shift) != node:
				endNode()
			case number != last+1:
				x.Notef(CodeAuditGap, audit.BucketAudit, key, "%d rows are missing before it", number-last-1)
			}
			if counter, ok := counters[node]; counters != nil && (!ok || number > counter) {
				x.Report(CodeAuditBeyond, audit.BucketAudit, key)
			}
			last, before = number, slices.Clone(key)
			return nil
		},
		End: func() error {
			if err := load(); err != nil {
				return err
			}
			endNode()
			return nil
		},
	}
}
